"""Adam and its nearest relatives."""

from collections.abc import Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.optim.cpu import adam_update, adamax_update, nadam_update
from ...runtime.tensor.grad_mode import is_grad_enabled
from ..docstrings import completed_from
from .functional import functional
from .optimizer import ParamsT, checked, hyperparameters
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, descend, root, shrink, written


def _adam(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq = tensors
    (step,), (beta1, beta2, eps, _, decay) = counts, settings
    shrink(param, lr, decay)
    mean = averaged(exp_avg, grad, 1 - beta1)
    square = averaged_square(exp_avg_sq, grad, beta2)
    if max_exp_avg_sq is not None:
        before = max_exp_avg_sq.clone() if is_grad_enabled() else max_exp_avg_sq
        square = written(max_exp_avg_sq, before.maximum(square))
    descend(param, mean, root(square, eps, 1 - beta2**step), lr / (1 - beta1**step))


class Adam(PerParameter):
    """Steps scaled by running estimates of the gradient's mean and mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        amsgrad: divide by the greatest v so far.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2015); amsgrad: Reddi, Kale and Kumar, On the
    convergence of Adam and beyond (2018).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.Adam([w], lr=0.1).step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    _rule = Rule(
        "adam",
        adam_update,
        _adam,
        ("exp_avg", "exp_avg_sq", ("max_exp_avg_sq", "amsgrad")),
        ("betas", "eps", "amsgrad", "decay"),
    )

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))

    def _sparse_update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")


adam = functional(Adam)


@completed_from(Adam)
class AdamW(Adam):
    """Adam with weight decay apart from the gradient: it is not scaled by the estimates.

    Formula: p = (1 - lr weight_decay) p, then Adam's step without weight_decay

    Args:
        weight_decay: how much parameters shrink in a step, in units of lr.

    Source: Loshchilov and Hutter, Decoupled weight decay regularization (2019).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.AdamW([w], lr=0.1, weight_decay=0.5).step()
        >>> w
        tensor([0.8500], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, **hyperparameters(locals()), decoupled_weight_decay=True)


adamw = functional(AdamW, decoupled_weight_decay=True)


def _adamax(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, exp_avg, exp_inf = tensors
    (step,), (beta1, beta2, eps) = counts, settings
    mean = averaged(exp_avg, grad, 1 - beta1)
    max_squares = written(exp_inf, exp_inf.mul(beta2).maximum(grad.abs().add_(eps)))
    descend(param, mean, max_squares, lr / (1 - beta1**step))


class Adamax(PerParameter):
    """Adam with the greatest recent gradient in place of the root of the mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  u = max(beta2 u, |g| + eps);
    p = p - lr / (1 - beta1^t) m / u

    Args:
        betas: how much of the mean and of the greatest gradient is kept in a step.
        eps: added to the size of the gradient.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2015), section 7.1.

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.Adamax([w], lr=0.1).step()
        >>> w
        tensor([0.9000], requires_grad=True)
    """

    _rule = Rule("adamax", adamax_update, _adamax, ("exp_avg", "exp_inf"), ("betas", "eps"))

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))


adamax = functional(Adamax)


def _nadam(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, exp_avg, exp_avg_sq = tensors
    (step, product), (beta1, beta2, eps, momentum_decay, decay) = counts, settings
    shrink(param, lr, decay)
    now, ahead = (beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay)) for t in (step, step + 1))
    if isinstance(beta1, Tensor):  # the product of the steps before has this factor in each
        product = product * (beta1 / beta1.detach()) ** (step - 1)
    product = product * now
    mean = averaged(exp_avg, grad, 1 - beta1)
    divisor = root(averaged_square(exp_avg_sq, grad, beta2), eps, 1 - beta2**step)
    descend(param, grad, divisor, lr * (1 - now) / (1 - product))
    descend(param, mean, divisor, lr * ahead / (1 - product * ahead))


class NAdam(PerParameter):
    """Adam with Nesterov's momentum: the step looks ahead along the mean of the gradients.

    Formula: g = grad + weight_decay p;  mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2);  m = beta1 m + (1 - beta1) g;
    v = beta2 v + (1 - beta2) g^2;  p = p - lr (mu_(t+1) m / (1 - mu_1 ... mu_(t+1)) +
    (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Args:
        momentum_decay: how fast the momentum mu grows.

    Source: Dozat, Incorporating Nesterov momentum into Adam (2016).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.NAdam([w], lr=0.1).step()
        >>> w
        tensor([0.8944], requires_grad=True)
    """

    _rule = Rule(
        "nadam",
        nadam_update,
        _nadam,
        ("exp_avg", "exp_avg_sq"),
        ("betas", "eps", "momentum_decay", "decay"),
        ("step", "mu_product"),
        {"mu_product": 1.0},
    )
    _scalars = frozenset({"step", "mu_product"})

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay", "momentum_decay"))


nadam = functional(NAdam)
