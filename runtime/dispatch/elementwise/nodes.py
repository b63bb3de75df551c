"""Nodes of element-wise ops whose gradients are fused kernels."""

from typing import Any

from ...tensor.grad_mode import mode as grad_mode
from ...tensor.observers import watch
from ..recorded_node import RecordedNode
from .backward import run_fused


class FusedNode(RecordedNode):
    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradients: by one kernel, or by the formulas where these are to be recorded."""
        if grad_mode.grad or watch.active or watch.interceptors:
            return self.formula(grad)
        return run_fused(self, grad)


class ElementwiseNode(RecordedNode):
    """Native code runs its kernels; `hands_on` as for `Node`."""

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradients: by one kernel, or by the formulas where these are recorded or are the gradient itself."""
        if watch.active or watch.interceptors:
            return self.formula(grad)
        gradients = self.elementwise.gradients(self, grad)
        if gradients is not None:
            return gradients
        return self.formula(grad) if grad_mode.grad or self.hands_on_now() else run_fused(self, grad)

    def hands_on_now(self) -> bool:
        return self.hands_on is True or (self.hands_on and getattr(self, self.hands_on) == 1)
