"""Further optimizers with momentum: RAdam, SparseAdam, and Muon."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated.ops import addmm
from ...generated.tensor import Tensor
from ...runtime.ops.creation import zeros_like
from ...runtime.ops.optim.cpu import radam_update
from ...runtime.tensor.memory_format import strided
from .functional import functional
from .optimizer import ParamsT, checked
from .per_parameter import PerParameter
from .rule import Rule, averaged, averaged_square, descend, root, shrink


def _radam(tensors: Sequence[Any], counts: Sequence[float], lr: Any, settings: Sequence[float]) -> None:
    param, grad, exp_avg, exp_avg_sq = tensors
    (step,), (beta1, beta2, eps, decay) = counts, settings
    shrink(param, lr, decay)
    factor = _rectified(step, beta2)
    mean = averaged(exp_avg, grad, 1 - beta1)
    square = averaged_square(exp_avg_sq, grad, beta2)
    descend(param, mean, root(square, eps) if factor else None, lr / (1 - beta1**step) * (factor or 1.0))


class RAdam(PerParameter):
    """Adam whose first steps are not scaled, until enough gradients were seen to know their mean square.

    Formula: g = grad + weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    rho = 2 / (1 - beta2) - 1;  rho_t = rho - 2 t beta2^t / (1 - beta2^t);
    p = p - lr m / (1 - beta1^t) if rho_t <= 5, otherwise that step times
    sqrt((rho_t - 4) (rho_t - 2) rho / ((rho - 4) (rho - 2) rho_t)) sqrt(1 - beta2^t) / (sqrt(v) + eps)

    Source: Liu et al., On the variance of the adaptive learning rate and beyond (2020).

    Example:
        >>> w = sg.tensor([1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.optim.RAdam([w], lr=0.1).step()
        >>> w
        tensor([0.8000], requires_grad=True)
    """

    _rule = Rule("radam", radam_update, _radam, ("exp_avg", "exp_avg_sq"), ("betas", "eps", "decay"))

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals(), "lr", "eps", "weight_decay"))


def _rectified(step: float, beta2: float) -> float:
    """The factor of lr m / (sqrt(v) + eps); 0 where v is not known well enough to divide by it."""
    known = 1 - beta2**step
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / known
    if length <= 5:
        return 0.0
    return math.sqrt(known * (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))


radam = functional(RAdam)


class SparseAdam(PerParameter):
    """Adam whose running averages and parameters change where the gradient keeps elements, and nowhere else.

    Formula: m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p = p - lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + eps), at the places of g

    Args:
        betas: how much of the averages of gradients and squared gradients is kept in a step.

    Raises:
        ValueError: a hyperparameter is out of range, or a parameter is sparse.
        RuntimeError: in `step`, a gradient that is not sparse.

    Source: Kingma and Ba, Adam: A Method for Stochastic Optimization (2015).

    Example:
        >>> table = sg.nn.Embedding(10, 3, sparse=True)
        >>> optimizer = sg.optim.SparseAdam(table.parameters(), lr=0.1)
        >>> before = table.weight.detach().clone()
        >>> table(sg.tensor([2, 5])).sum().backward()
        >>> optimizer.step()
        >>> (table.weight != before).any(1).nonzero().flatten()
        tensor([2, 5])
    """

    _scalars = frozenset()

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        for name, value in (("learning rate", lr), ("epsilon value", eps)):
            if not value > 0:
                raise ValueError(f"Invalid {name}: {value}")
        super().__init__(params, checked(locals(), "lr", "eps"))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, which are strided tensors: a ValueError for others.

        The dict `param_group` has "params" and hyperparameters.
        """
        super().add_param_group(param_group)
        group = self.param_groups[-1]["params"]
        wrong = [position for position, param in enumerate(group) if param.layout is not strided]
        if wrong:
            self.param_groups.pop()
            raise ValueError(f"Sparse params at indices {wrong}: SparseAdam requires dense parameter tensors")

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _sparse_update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if not grad.is_sparse:
            self._update(param, grad, group)
        state, (beta1, beta2) = self.state[param], group["betas"]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
        state["step"] += 1
        grad = grad.coalesce()
        values, positions = grad._values(), tuple(grad._indices().unbind(0))
        values = -values if group["maximize"] else values
        mean = _moved(state["exp_avg"], positions, values, 1 - beta1)
        square = _moved(state["exp_avg_sq"], positions, values * values, 1 - beta2)
        step = state["step"]
        rate = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        param[positions] = param[positions] - rate * mean / (square.sqrt_().add_(group["eps"]))


def _moved(average: Tensor, positions: tuple[Tensor, ...], values: Tensor, share: float) -> Tensor:
    entry = average[positions]
    entry = entry + (values - entry) * share
    average[positions] = entry
    return entry


_MAX_ITERATIONS = 100


class Muon(PerParameter):
    """Steps along the orthogonal matrix nearest to the momentum; for matrices of hidden layers only.

    Formula: b = momentum b + (1 - momentum) grad;  u = momentum b + (1 - momentum) grad with nesterov, otherwise b;
    p = p - lr weight_decay p - lr s o(u), where o makes all singular values of u about one, and
    s = sqrt(max(1, rows / columns)) or with "match_rms_adamw" 0.2 sqrt(max(rows, columns))

    Args:
        params: matrices, pairs of a name and a matrix, or dicts that define groups.
        weight_decay: how much parameters shrink in a step, in units of lr.
        nesterov: look ahead along the momentum.
        ns_coefficients: (a, b, c) of the iteration x = a x + b (x x^T) x + c (x x^T)^2 x, in bfloat16.
        eps: lengths below it are not divided by.
        ns_steps: how many iterations.
        adjust_lr_fn: "original" (also when left out) or "match_rms_adamw", as above.

    Raises:
        ValueError: a hyperparameter is out of range, or a parameter is no matrix.
        RuntimeError: a parameter is complex.

    Source: Jordan et al., Muon: an optimizer for hidden layers in neural networks (2024); "match_rms_adamw": Liu et
    al., Muon is scalable for LLM training (2025).

    Example:
        >>> w = sg.eye(2).requires_grad_()
        >>> (w * w).sum().backward()
        >>> sg.optim.Muon([w], lr=0.1, weight_decay=0.0).step()
        >>> bool((w.diagonal() < 0.95).all())
        True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, checked(locals(), "lr", "momentum", "weight_decay"))
        for param in (p for group in self.param_groups for p in group["params"]):
            if param.dim() != 2:
                raise ValueError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                )

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        state = self.state[param]
        if not state:
            state["momentum_buffer"] = zeros_like(grad)
        new = 1 - group["momentum"]
        buffer = state["momentum_buffer"].lerp_(grad, new)
        direction = buffer.lerp(grad, new) if group["nesterov"] else buffer
        direction = _orthogonalized(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        lr = float(group["lr"])
        param.mul_(1 - lr * group["weight_decay"])
        param.add_(direction.to(param.dtype), alpha=-lr * _scale(param, group["adjust_lr_fn"]))


def _scale(param: Tensor, kind: str | None) -> float:
    rows, columns = param.shape
    return 0.2 * math.sqrt(max(rows, columns)) if kind == "match_rms_adamw" else math.sqrt(max(1, rows / columns))


def _orthogonalized(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """The matrix with singular values near one, by an iteration of Newton and Schulz for a polynomial of degree 5."""
    if steps >= _MAX_ITERATIONS:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = matrix.bfloat16()
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / x.norm().clamp_min(eps)
    for _ in range(steps):
        gram = x @ x.T
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x
