"""The part of `Tensor` that deals with gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..device.device import CPU
from ..errors import GraphError, type_name
from ..fast_path import detacher
from ..namespace import Tensor
from ..tensor.captured import refuse_in_transform
from ..tensor.dtype_views import unmarked
from ..tensor.grad_mode import UNTRACKED, current_version, inference_writes, is_inference, mode
from ..tensor.history import clear_history
from ..tensor.override_modes import passthrough_functions
from ..tensor.tensor import TensorBase, alias, note_layout_change
from ..tracebacks import hide_internal_frames
from .backward import backward_of
from .copy_slices import keep_in_graph, node_of, shown
from .dual import split_dual, with_tangent
from .hooks import RemovableHandle, add_hook, add_tensor_hook, leaf_hooks, retain_grad
from .node import LEAF, OUTPUT, Node
from .saved_tensors import meta_of
from .version_counter import note_replaced
from .view_history import NOWHERE, Outdated, require_grad, views_require_grad


class AutogradMethods(TensorBase):
    """requires_grad, grad_fn, backward, hooks, detach."""

    __slots__ = ()
    _with_tangent = with_tangent
    _split_dual = split_dual
    backward = backward_of

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for this tensor."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError(f"requires_grad must be a bool, not {type_name(value)}")
        if value and not self.is_leaf:
            raise GraphError("requires_grad: you can only change requires_grad flags of leaf variables.")
        self._requiring_grad(value)

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` added up here, or None; kept for leaves, and where `retain_grad` was called."""
        if self._grad is None and self._grad_fn is not None and self._grad_fn is not NOWHERE and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
                "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
                "by mistake, make sure you access the leaf Tensor instead.",
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            check_gradient(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def requires_grad_(self: Any, requires_grad: bool = True) -> Tensor:
        """Say in place whether gradients are computed for this tensor.

        Args:
            requires_grad: whether they are.

        Raises:
            RuntimeError: the tensor is not a leaf, or not of a floating-point or complex dtype, or a transform runs.
        """
        try:
            refuse_in_transform("requires_grad_")
            return self._requiring_grad(requires_grad)
        except Exception as error:
            hide_internal_frames(error)
            raise

    def _requiring_grad(self: Any, requires_grad: bool = True) -> Any:
        """`requires_grad_`, also of what is made in the function of a transform."""
        if type(self._grad_fn) is Outdated:
            return self
        if not requires_grad and not self.is_leaf:
            raise GraphError(
                "requires_grad_(): you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if requires_grad and self._dtype.kind not in "fc":
            raise GraphError(
                "requires_grad_(): only Tensors of floating point and complex dtype can require gradients, but got "
                f"{self._dtype!r}"
            )
        if requires_grad and is_inference(self) and not mode.inference:
            raise GraphError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if self.is_leaf:
            require_grad(self, bool(requires_grad))
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made this tensor."""
        edge = self._grad_fn
        return edge is None or bool(edge and edge.edge_kind == LEAF)

    @property
    def grad_fn(self) -> Node | None:
        """The graph node that made this tensor; None for a leaf."""
        edge = self._grad_fn
        if edge is None or (edge and edge.edge_kind == LEAF):
            return None
        return node_of(edge)

    @property
    def output_nr(self) -> int:
        """Which output of its node this tensor is."""
        edge = shown(self._grad_fn)
        return edge.index if edge is not None and edge.edge_kind == OUTPUT else 0

    def detach(self) -> Tensor:
        """A tensor over this memory outside the graph."""
        result = detacher()(self)
        if result is not None:
            return result
        t = alias(self, self._shape, self._strides, self._offset)
        if t._version_counter is UNTRACKED:
            t._version_counter = inference_writes(self)
        return t

    def detach_(self: Any) -> Tensor:
        """Take this tensor out of the graph."""
        if self._base is not None:
            raise GraphError("detach_(): can't detach views in-place. Use detach() instead.")
        clear_history(self)
        self._hooks = None
        if self._views is not None:
            views_require_grad(self)
        return self

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is known; it may return another in its place.

        Returns:
            A handle whose `remove()` takes the hook away.

        Example:
            >>> import specgrad as sg
            >>> x = sg.tensor(1.0, requires_grad=True)
            >>> handle = x.register_hook(lambda grad: 10 * grad)
            >>> (3 * x).backward()
            >>> x.grad
            tensor(30.)
        """
        try:
            if not self._requires_grad:
                raise GraphError("register_hook(): cannot register a hook on a tensor that doesn't require gradient")
            return add_tensor_hook(self, hook)
        except Exception as error:
            hide_internal_frames(error)
            raise

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(tensor)` after a gradient was added to this leaf's `.grad`."""
        name = "register_post_accumulate_grad_hook()"
        if not self._requires_grad:
            raise GraphError(f"{name}: cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise GraphError(f"{name}: post accumulate grad hooks cannot be registered on non-leaf tensors")
        return add_hook(leaf_hooks(self).accumulated, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in its `.grad`."""
        try:
            if not self._requires_grad:
                raise GraphError("retain_grad(): can't retain_grad on Tensor that has requires_grad=False")
            refuse_in_transform("retain_grad", among_vmaps=False)
            if not (self.is_leaf or self.retains_grad):
                self._hooks = retain_grad(self)
        except Exception as error:
            hide_internal_frames(error)
            raise

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this non-leaf."""
        return type(self._hooks) is RemovableHandle

    @property
    def data(self) -> Tensor:
        """A tensor over this memory outside the graph; assigning replaces the memory."""
        t = alias(self, self._shape, self._strides, self._offset)
        t._version_counter = inference_writes(self)  # writes through .data are not tracked
        return t

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, TensorBase):
            raise TypeError(f"data: expected a Tensor, but got {type(value).__name__}")
        if self._requires_grad and value._dtype.kind not in "fc":
            raise GraphError(
                "data: data set to a tensor that requires gradients must be floating point or complex dtype, but got "
                f"{value._dtype!r}"
            )
        value = unmarked(value)
        before = meta_of(self)
        slots = ("_flat", "_array", "_storage", "_shape", "_strides", "_offset", "_dtype")
        # Who finds the device to be the CPU finds NumPy arrays, also in another thread between two of these lines.
        for slot in (*slots, "_device") if value._device is CPU else ("_device", *slots):
            setattr(self, slot, getattr(value, slot))
        note_layout_change()
        if is_inference(value):
            self._version_counter = inference_writes(value)
        elif before != meta_of(self) or is_inference(self):
            note_replaced(self)
        if before != meta_of(self) and self._grad_fn is not None and self._grad_fn.edge_kind != LEAF:
            keep_in_graph(self, before)

    @property
    def _version(self) -> int:
        """The version counter: the number of writes to the memory, through this tensor or another view of it."""
        if self._version_counter is UNTRACKED:
            raise RuntimeError("Inference tensors do not track version counter.")
        return int(current_version(self))


passthrough_functions.append(AutogradMethods.grad.__get__)


def check_gradient(tensor: Any, grad: Any) -> None:
    if not isinstance(grad, TensorBase):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type_name(grad)}")
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    for what in ("shape", "dtype", "device"):
        own, value = getattr(tensor, what), getattr(grad, what)
        if own != value:
            raise RuntimeError(
                f"attempting to assign a gradient of {what} {value} to a tensor of {what} {own}: they must be the same"
            )
