"""The step of optimizers whose rule looks at one parameter at a time."""

from __future__ import annotations

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.autograd.grad_mode import enable_grad, no_grad
from .optimizer import Closure, Optimizer


class PerParameter(Optimizer):
    """An optimizer whose rule looks at one parameter at a time: `_update(param, grad, group)`."""

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        raise NotImplementedError

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
