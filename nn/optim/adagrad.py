"""Steps that are scaled by the sum or the mean of squared gradients, or by those of rows and columns."""

from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.creation import zeros_like
from ...runtime.ops.optim.cpu import adadelta_update, adagrad_update
from ...runtime.tensor.dtypes import finfo
from ...runtime.tensor.grad_mode import is_grad_enabled
from .functional import functional
from .optimizer import ParamsT, check_not_negative, checked
from .per_parameter import PerParameter
from .rule import Rule, averaged_square, count, descend, number, rate, root, written


def _adagrad(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, sums = tensors
    (step,), (lr_decay, eps) = counts, settings
    total = written(sums, sums.addcmul(grad, grad)) if is_grad_enabled() else sums.addcmul_(grad, grad)
    descend(param, grad, root(total, eps), lr / (1 + (step - 1) * lr_decay))


class Adagrad(PerParameter):
    """Steps scaled by the root of the sum of all squared gradients.

    Formula: g = grad + weight_decay p;  s = s + g^2;  p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)

    Args:
        lr_decay: how fast the step size falls.
        initial_accumulator_value: what the sum starts with.

    Raises:
        ValueError: a hyperparameter is out of range.
        RuntimeError: fused together with foreach or differentiable.

    Source: Duchi, Hazan and Singer, Adaptive subgradient methods for online learning (2011).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.Adagrad([w], lr=0.1).step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    _rule = Rule(
        "adagrad", adagrad_update, _adagrad, ("sum",), ("lr_decay", "eps"), first={"sum": "initial_accumulator_value"}
    )

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, checked(locals(), "lr", "eps", "weight_decay", "lr_decay", "initial_accumulator_value")
        )
        for group in self.param_groups:
            self._enter(group)
            for param in group["params"]:
                self._rule.start(self.state[param], param, group, self._names)

    def _sparse_update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        self._rule.start(self.state[param], param, group, self._names)
        state, grad = self.state[param], (-grad if group["maximize"] else grad).coalesce()
        positions, values = tuple(grad._indices().unbind(0)), grad._values()
        total = state["sum"][positions] + values * values
        state["sum"][positions] = total
        lr = rate(group) / (1 + (count(state) - 1) * float(group["lr_decay"]))
        param[positions] = param[positions] - lr * values / root(total, float(group["eps"]))


adagrad = functional(Adagrad)


def _adadelta(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, square_avg, acc_delta = tensors
    rho, eps = settings
    square = averaged_square(square_avg, grad, rho)
    delta = acc_delta.add(eps).sqrt_().div(square.add(eps).sqrt_()).mul(grad)
    averaged_square(acc_delta, delta, rho)
    descend(param, delta, None, lr)


class Adadelta(PerParameter):
    """Steps in units of the earlier steps: the ratio of running mean squares of changes and of gradients.

    Formula: g = grad + weight_decay p;  v = rho v + (1 - rho) g^2;  d = g sqrt(u + eps) / sqrt(v + eps);
    u = rho u + (1 - rho) d^2;  p = p - lr d

    Args:
        lr: factor of the step.
        rho: how much of both mean squares is kept in a step.
        eps: added under both roots.

    Source: Zeiler, ADADELTA: an adaptive learning rate method (2012).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.Adadelta([w], lr=100.0).step()
        >>> w
        tensor([0.6838], requires_grad=True)
    """

    _rule = Rule("adadelta", adadelta_update, _adadelta, ("square_avg", "acc_delta"), ("rho", "eps"))

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))


adadelta = functional(Adadelta)


class Adafactor(PerParameter):
    """Steps scaled by mean squares of the gradient's rows and columns: far less state than Adam's.

    Formula: b = t^beta2_decay;  r = (1 - b) r + b mean_columns(g^2);  c = (1 - b) c + b mean_rows(g^2);
    v = r c / max(mean(r), eps1);  u = g / max(sqrt(v), eps1);  p = (1 - lr weight_decay) p;
    p = p - max(eps2, RMS(p)) min(lr, 1 / sqrt(t)) u / max(1, RMS(u) / d); vectors keep v = (1 - b) v + b g^2

    Args:
        lr: the greatest step size, in units of the parameter's root mean square.
        beta2_decay: power of t by which new squares count less and less.
        eps: (eps1, eps2), the least divisor and the least scale of a parameter; eps1 None is the dtype's eps.
        d: the greatest root mean square of an update.
        weight_decay: how much parameters shrink in a step, in units of lr.

    Raises:
        ValueError: a hyperparameter is out of range.
        RuntimeError: a parameter is complex.

    Source: Shazeer and Stern, Adafactor: adaptive learning rates with sublinear memory cost (2018).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.Adafactor([w], lr=0.1).step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if not beta2_decay <= 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if not d >= 1:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if eps[0] is not None:
            check_not_negative("epsilon1", eps[0])
        check_not_negative("epsilon2", eps[1])
        super().__init__(params, checked(locals(), "lr", "weight_decay"))

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state = self.state[param]
        if not state:
            _start(state, grad, group)
        step, lr = count(state), float(group["lr"])
        lower_bound, smallest = group["eps"]
        lower_bound = finfo(param.dtype).eps if lower_bound is None else lower_bound
        grad = -grad if group["maximize"] else grad
        scale = max(smallest, _root_mean_square(param)) * min(lr, 1 / step**0.5)
        param.mul_(1 - lr * group["weight_decay"])
        update = _mean_square(state, grad, step ** group["beta2_decay"], lower_bound).clamp_(
            min=lower_bound * lower_bound
        )
        update = update.rsqrt_().mul_(grad)
        param.sub_(update.mul_(scale / max(1.0, _root_mean_square(update) / group["d"])))


def _start(state: dict[str, Any], grad: Tensor, group: dict[str, Any]) -> None:
    state["step"] = number(0.0, grad, group)
    if grad.dim() > 1:
        state["row_var"] = zeros_like(grad[..., :1])
        state["col_var"] = zeros_like(grad[..., :1, :])
    else:
        state["variance"] = zeros_like(grad)


def _root_mean_square(t: Tensor) -> float:
    return t.norm().item() / max(1, t.numel()) ** 0.5


def _mean_square(state: dict[str, Any], grad: Tensor, new: float, lower_bound: float) -> Tensor:
    """The estimate of each element's mean square: of matrices the outer product of their rows' and columns'."""
    square = grad.square()
    if grad.dim() <= 1:
        return state["variance"].lerp_(square, new).clone()
    row = state["row_var"].lerp_(square.mean(dim=-1, keepdim=True), new)
    column = state["col_var"].lerp_(square.mean(dim=-2, keepdim=True), new)
    return row * column / row.mean(dim=-2, keepdim=True).clamp(min=lower_bound)
