"""`FunctionNode`, the graph node of a call of a custom Function, and how the outputs of forward get it."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

from ...dispatch.writing import check_history
from ...errors import GraphError, type_name
from ...modes.grad_mode import no_grad
from ...modes.overrides.switches import state as overriding
from ...tensor.base import TensorBase
from ...tensor.history import clear_history, set_history
from ...tensor.unmarked import unmarked
from ..engine.accumulate_grad import next_functions
from ..engine.match_input import broadcasts, fit
from ..inplace.copy_slices import Replaced
from ..inplace.inplace import after_write
from ..inplace.view_history import CUSTOM, MULTI_VIEW
from ..inplace.writers import note_write
from ..node import FREED, Node, Output
from ..saved.saved import edge_of, meta_of, zeros_of
from .context import FunctionCtx, is_among


class FunctionNode(Node):
    """The graph node of one call; `grad_fn` shows the user's attributes of ctx too.

    Args:
        edges: where the gradient of each argument goes.
        metas: the shape and dtype of each argument.
    """

    __slots__ = ("__dict__", "ctx", "output_count", "output_metas", "output_devices")
    ctx: Any
    output_metas: Any
    output_devices: Any
    _forward_cls: Any = None
    returns_owned = False  # the user's backward may keep what it returns
    runs_without = True
    saved_slots = ("kept_tensors",)
    op_name = "autograd.Function"
    spec_location = "user code"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "ctx":
            raise AttributeError(name)
        return getattr(self.ctx, name)

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle {self.name()!r} object")

    @property
    def kept_tensors(self) -> Any:
        """The tensors that ctx keeps; seen as `_saved_tensors` and `_raw_saved_tensors`."""
        return self.ctx._saved

    @kept_tensors.setter
    def kept_tensors(self, value: Any) -> None:
        self.ctx._saved = value

    @property
    def kept_tensors_version(self) -> Any:
        """The versions that they had."""
        return self.ctx._versions

    @property
    def saved_outputs(self) -> dict[Any, int]:  # type: ignore[override]
        """Which of them are outputs, and the number of each."""
        return {("kept_tensors", position): index for position, index in self.ctx._saved_outputs.items()}

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes that the gradients go to; arguments that are no tensors have no entry."""
        return tuple(f for f, m in zip(next_functions(self), self.metas, strict=True) if m is not None)

    def release(self) -> None:
        """Forget the saved tensors; the user's own attributes stay."""
        if self.ctx._saved:
            self.ctx._saved = FREED

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Call the user's backward with `grad` (a list for several outputs) and check what it returns."""
        ctx = self.ctx
        grads = (grad,) if self.output_count == 1 else grad
        if ctx.materialize_grads:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        rule = self._forward_cls._gradient_rule()
        asking, overriding.arguments = overriding.arguments, overriding.outside  # the rule is the user's code
        try:
            result = rule(ctx, *grads)
        finally:
            overriding.arguments = asking
        return self._checked(result if isinstance(result, tuple) else (result,))

    def _zeros(self, index: int) -> Any:
        meta = self.output_metas[index]
        return None if meta is None else zeros_of(meta, self.output_devices[index])

    def _checked(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        name, count = self.name(), len(self.edges)
        check_count(name, grads, count)
        zipped = enumerate(zip(grads, self.edges, self.metas, strict=False))
        return tuple(
            [None if g is None else checked(name, i, g, meta, edge is not None) for i, (g, edge, meta) in zipped]
        )


def check_count(name: str, grads: tuple[Any, ...], count: int) -> None:
    """backward returns one gradient for each argument; more are harmless where they are None."""
    if len(grads) < count or any(g is not None for g in grads[count:]):
        raise GraphError(
            f"function {name} returned an incorrect number of gradients (expected {count}, got {len(grads)})"
        )


def checked(name: str, index: int, grad: Any, meta: Any, requested: Any) -> Any:
    """A gradient as its input needs it; None for an input that needs none."""
    if meta is None:
        raise GraphError(
            f"function {name} returned a gradient different than None at position {index + 1}, but the corresponding "
            "forward input was not a Variable"
        )
    if not isinstance(grad, TensorBase):
        raise GraphError(f"function {name}: expected Variable or None (got {type_name(grad)}) as gradient {index + 1}")
    if not requested:
        return None
    shape, dtype = meta
    if grad._shape != shape and not broadcasts(shape, grad._shape):
        raise GraphError(
            f"Function {name} returned an invalid gradient at index {index} - got {list(grad._shape)} but expected "
            f"shape compatible with {list(shape)}"
        )
    if grad._dtype.kind == "c" and dtype.kind != "c":
        raise GraphError(
            f"Function {name} returned an invalid gradient at index {index} - got {grad._dtype!r} but expected a real "
            f"dtype, as the input has {dtype!r}: take its real part"
        )
    return fit(unmarked(grad), meta)


def record(
    node_class: type[FunctionNode] | None, ctx: FunctionCtx, args: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The outputs as the caller gets them; the class of their node is None where nothing is recorded."""
    node = None
    if node_class is not None:
        edges = tuple([edge_of(a) if isinstance(a, TensorBase) else None for a in args])
        node = node_class(edges, [meta_of(a) if isinstance(a, TensorBase) else None for a in args])
        node.ctx, ctx._node = ctx, weakref.ref(node)
        node.output_count = len(outputs)
    results = tuple([_result(node, ctx, args, outputs, i) for i in range(len(outputs))])
    if node is not None:
        node.output_metas = [meta_of(o) if isinstance(o, TensorBase) else None for o in results]
        node.output_devices = [getattr(o, "_device", None) for o in results]
    return results


def check_dirty(name: str, ctx: FunctionCtx, args: tuple[Any, ...], outputs: tuple[Any, ...], recording: bool) -> None:
    """Tensors that forward changed must be inputs and outputs, and such as may be changed; their versions go up."""
    for tensor in ctx.dirty_tensors:
        if not is_among(tensor, outputs):
            raise GraphError(
                f"{name}: Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function."
            )
        note_write(tensor, name)
        if recording and (tensor._requires_grad or tensor._base is not None):
            check_history(name, tensor)
        if recording and not is_among(tensor, args):
            warnings.warn(
                f"{name}: ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
                "mutated should be passed to ctx.mark_dirty().",
                stacklevel=4,
            )


def _result(node: FunctionNode | None, ctx: FunctionCtx, args: tuple[Any, ...], outputs: Any, index: int) -> Any:
    """One output: an input that is returned as it is becomes another tensor, unless it was changed in place."""
    output = outputs[index]
    if not isinstance(output, TensorBase):
        return output
    value, dirty = is_among(output, args), is_among(output, ctx.dirty_tensors)
    if node is None or output._dtype.kind not in "fc" or is_among(output, ctx.non_differentiable):
        return _outside_the_graph(output, value, dirty)
    if value and not dirty:
        output = _same(output)
    edge = node if len(outputs) == 1 else Output(node, index)
    if dirty and value:
        _require_device(output, edge)
    else:
        set_history(output, edge)
        if output._base is not None:
            output._views = CUSTOM if len(outputs) == 1 else MULTI_VIEW
    return output


def _same(tensor: Any) -> Any:
    with no_grad():
        return tensor.view_as(tensor)


def _outside_the_graph(output: Any, value: bool, dirty: bool) -> Any:
    """An output through which nothing is differentiated; an input keeps what it requires."""
    if value:
        return output.detach() if output._requires_grad else output if dirty else _same(output)
    if output._requires_grad and output._base is None:
        clear_history(output)
    return output


def _require_device(tensor: Any, edge: Any) -> None:
    """The place in the graph of an input that was changed in place; through a view, that of its base changes too."""
    before = tensor._grad_fn
    if tensor._base is not None:
        edge = Replaced(edge)
    set_history(tensor, edge)
    after_write(tensor, before)
