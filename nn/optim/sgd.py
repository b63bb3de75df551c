"""Stochastic gradient descent, its average, and steps that are scaled by the size or sign of gradients."""

from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.creation import ones_like, zeros_like
from ...runtime.ops.optim.cpu import asgd_update, rmsprop_update, rprop_update, sgd_update
from .functional import functional
from .optimizer import ParamsT, checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, descend, rate, root, uphill, written


def _sgd(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, buffer = tensors
    momentum, dampening, nesterov, is_first = settings
    if buffer is not None:
        state_values = written(buffer, grad if is_first else buffer.mul(momentum).add_(grad, alpha=1 - dampening))
        grad = grad.add(state_values, alpha=momentum) if nesterov else state_values
    descend(param, grad, None, lr)


class SGD(PerParameter):
    """Stochastic gradient descent, with momentum if wanted.

    Formula: g = grad + weight_decay p;  b = momentum b + (1 - dampening) g (b = g in the first step);
    p = p - lr b, or with nesterov p = p - lr (g + momentum b), or without momentum p = p - lr g

    Args:
        dampening: how much less of the gradient enters the direction.
        nesterov: look ahead along the momentum.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning (2013).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.SGD([w], lr=0.1).step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    _rule = Rule("sgd", sgd_update, _sgd, (("momentum_buffer", "momentum"),), ("momentum", "dampening", "nesterov"), ())

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, checked(locals(), "lr", "weight_decay", "momentum"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        buffer, settings = self._buffer(param, param)
        self._apply({}, (param, grad, buffer), settings, group)

    def _sparse_update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        grad = uphill(param, grad, float(group["weight_decay"]), bool(group["maximize"]))
        buffer, settings = self._buffer(param, grad)
        _sgd((param, grad, buffer), (), rate(group), settings)

    def _buffer(self, param: Tensor, like: Tensor) -> tuple[Tensor | None, tuple[float, ...]]:
        """The last direction, of a new one the layout is that of `like`, and the settings of the rule."""
        if self._settings[0] == 0:
            return None, (*self._settings, 0.0)
        buffer = self.state[param].get("momentum_buffer")
        is_first = buffer is None
        if is_first:
            buffer = self.state[param]["momentum_buffer"] = zeros_like(like)
        return buffer, (*self._settings, float(is_first))


sgd = functional(SGD)


def _asgd(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, average = tensors
    (_, eta, mu), (lambd, *_) = counts, settings
    param.mul_(1 - lambd * eta).sub_(grad * eta)
    if mu == 1:
        average.copy_(param)
    else:
        average.add_(param.sub(average).mul_(mu))


class ASGD(PerParameter):
    """Gradient descent that also keeps the mean of the parameters from step t0 on, as `ax` in its state.

    Formula: g = grad + weight_decay p;  p = (1 - lambd eta) p - eta g;  ax = ax + mu (p - ax);
    eta = lr / (1 + lambd lr t)^alpha;  mu = 1 / max(1, t - t0)

    Args:
        lambd: how fast the step size falls.
        alpha: power by which it falls.
        t0: from which step on parameters are averaged.

    Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.ASGD([w], lr=0.1).step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    _rule = Rule(
        "asgd",
        asgd_update,
        _asgd,
        ("ax",),
        ("lambd", "alpha", "t0"),
        ("step", "eta", "mu"),
        {"eta": "lr", "mu": 1.0},
    )
    _scalars = frozenset({"step", "eta", "mu"})

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "weight_decay"))


asgd = functional(ASGD)


def _rmsprop(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, square_avg, buffer, grad_avg = tensors
    alpha, eps, momentum, _ = settings
    square = averaged_square(square_avg, grad, alpha)
    if grad_avg is not None:
        mean = averaged(grad_avg, grad, 1 - alpha)
        square = square.addcmul(mean, mean, value=-1)
    if buffer is None:
        descend(param, grad, root(square, eps), lr)
    else:
        descend(param, written(buffer, buffer * momentum + grad / root(square, eps)), None, lr)


class RMSprop(PerParameter):
    """Steps scaled by a running mean square of the gradient.

    Formula: g = grad + weight_decay p;  v = alpha v + (1 - alpha) g^2;  with centered a = alpha a + (1 - alpha) g and
    s = v - a^2, otherwise s = v;  d = g / (sqrt(s) + eps);  p = p - lr d, or with momentum b = momentum b + d and
    p = p - lr b

    Args:
        alpha: how much of the mean square is kept in a step.
        centered: divide by the standard deviation in place of the root of the mean square.

    Source: Tieleman and Hinton, Lecture 6.5: rmsprop (2012); centered: Graves, Generating sequences with recurrent
    neural networks (2013).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.RMSprop([w], lr=0.05).step()
        >>> w
        tensor([0.5000], requires_grad=True)
    """

    _rule = Rule(
        "rmsprop",
        rmsprop_update,
        _rmsprop,
        ("square_avg", ("momentum_buffer", "momentum"), ("grad_avg", "centered")),
        ("alpha", "eps", "momentum", "centered"),
    )

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay", "momentum", "alpha"))


rmsprop = functional(RMSprop, "square_avg", "grad_avg", "momentum_buffer", "step")


def _rprop(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, prev, step_size = tensors
    shrink, grow, lower_bound, maximum = settings
    agreed = grad.mul(prev)
    factor = ones_like(agreed).masked_fill_(agreed > 0, grow).masked_fill_(agreed < 0, shrink)
    size = written(step_size, step_size.mul(factor).clamp(lower_bound, maximum))
    grad = grad.masked_fill(agreed < 0, 0.0)
    param.addcmul_(grad.sign(), size, value=-1)
    prev.copy_(grad)


class Rprop(PerParameter):
    """Steps of a size for each element, which grows while the gradient keeps its sign; for full batches.

    Formula: s = clip(s etaplus, step_sizes) where grad prev > 0, clip(s etaminus, step_sizes) and grad = 0 where
    grad prev < 0;  p = p - sign(grad) s;  prev = grad

    Args:
        lr: the first step size.
        etas: (etaminus, etaplus), factors of the step size.
        step_sizes: the least and the greatest step size.

    Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.Rprop([w], lr=0.1).step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    _rule = Rule(
        "rprop", rprop_update, _rprop, ("prev", "step_size"), ("etas", "step_sizes"), first={"step_size": "lr"}
    )

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, checked(locals(), "lr"))


rprop = functional(Rprop)
