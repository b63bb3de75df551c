"""SparseAdam: Adam for gradients that are sparse, at the places that these have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import zeros_like
from ...runtime.modes.grad_mode import enable_grad, no_grad
from ...runtime.tensor.memory_format import strided
from .hyperparameters import checked
from .optimizer import Closure, Optimizer


class SparseAdam(Optimizer):
    """Adam whose running averages and parameters change where the gradient keeps elements, and nowhere else.

    Formula: m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p = p - lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + eps), at the places of g

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: step size.
        betas: how much of the averages of gradients and squared gradients is kept in a step.
        eps: added to the denominator.
        maximize: go up instead of down.

    Raises:
        ValueError: a hyperparameter is out of range, or a parameter is sparse.
        RuntimeError: in `step`, a gradient that is not sparse.

    Source: Kingma and Ba, Adam: A Method for Stochastic Optimization (2015).

    Example:
        >>> import specgrad as sg
        >>> table = sg.nn.Embedding(10, 3, sparse=True)
        >>> optimizer = sg.optim.SparseAdam(table.parameters(), lr=0.1)
        >>> before = table.weight.detach().clone()
        >>> table(sg.tensor([2, 5])).sum().backward()
        >>> optimizer.step()
        >>> (table.weight != before).any(1).nonzero().flatten()
        tensor([2, 5])
    """

    def __init__(
        self,
        params: Iterable[Any],
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
        """Add a group of parameters, which are strided tensors.

        Args:
            param_group: a dict with "params" and hyperparameters.

        Raises:
            ValueError: a parameter is sparse.
        """
        super().add_param_group(param_group)
        group = self.param_groups[-1]["params"]
        wrong = [position for position, param in enumerate(group) if param.layout is not strided]
        if wrong:
            self.param_groups.pop()
            raise ValueError(f"Sparse params at indices {wrong}: SparseAdam requires dense parameter tensors")

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter that has a gradient once.

        Args:
            closure: computes the loss again; called with gradients recorded.

        Returns:
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        return loss

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if not grad.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        state, (kept, kept_of_squares) = self.state[param], group["betas"]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
        state["step"] += 1
        grad = grad.coalesce()
        values, places = grad._values(), tuple(grad._indices().unbind(0))
        values = -values if group["maximize"] else values
        mean = _moved(state["exp_avg"], places, values, 1 - kept)
        square = _moved(state["exp_avg_sq"], places, values * values, 1 - kept_of_squares)
        step = state["step"]
        rate = float(group["lr"]) * (1 - kept_of_squares**step) ** 0.5 / (1 - kept**step)
        param[places] = param[places] - rate * mean / (square.sqrt_().add_(group["eps"]))


def _moved(average: Tensor, places: tuple[Tensor, ...], values: Tensor, share: float) -> Tensor:
    """The elements of a running average at some places, a share of the way on to new values, once written there."""
    found = average[places]
    found = found + (values - found) * share
    average[places] = found
    return found
