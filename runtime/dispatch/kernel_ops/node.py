"""Nodes of which one kernel computes all gradients: the key `backward` of an entry."""

from typing import Any

from ...tensor.grad_mode import mode as grad_mode
from ...tensor.observers import watch
from ..devices import SHAPELESS
from ..elementwise.backward import all_floats, as_gradients, dtype_of, raise_unsaved
from ..recorded_node import RecordedNode
from .gradient import KernelOpGradient


class KernelNode(RecordedNode):
    plans: KernelOpGradient
    stored = False  # whether the kernel takes 16-bit floats as they are stored

    def apply(self, grads: Any) -> tuple[Any, ...]:
        """All gradients from one kernel; by the formulas where these are to be recorded, and for mixed dtypes."""
        grad = grads
        if self.output_count > 1 and len(self.differentiable) == 1:
            grad = grads[self.differentiable[0]]
            if grad is None:
                return (None,) * len(self.inputs)
        dtype = dtype_of(grads) if isinstance(grad, list) else grad._dtype
        if grad_mode.grad or watch.active or watch.interceptors or not all_floats(self.metas, dtype):
            return self.formula(grads)
        result = self.plans.planned(self, grads, grad)
        if result is not None:
            return result
        try:
            arrays = self.plans.arrays(self, grad, dtype)
            if not isinstance(arrays, (tuple, list)) and arrays is not SHAPELESS:
                arrays = (arrays,)
            return as_gradients(arrays, self.metas, dtype)
        except Exception as error:
            raise_unsaved(self, error)
            raise
