"""The step of optimizers whose rule looks at one parameter at a time."""

from __future__ import annotations

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.creation import tensor
from ...runtime.modes.grad_mode import enable_grad, no_grad
from .optimizer import Closure, Optimizer
from .rule import scalar_dtype


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
        with enable_grad() if self.defaults.get("differentiable") else no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        return loss

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in self.defaults.items():  # what older programs did not save
                group.setdefault(name, default)
        for kept in self.state.values():
            for name in self._scalars & kept.keys() if isinstance(kept, dict) else ():
                if not isinstance(kept[name], Tensor):
                    kept[name] = tensor(float(kept[name]), dtype=scalar_dtype())
