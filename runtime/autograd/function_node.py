"""`FunctionNode`, the graph node of a call of a custom Function, how outputs get it, and forward mode by `jvp`.

forward computes on plain values: its tensors have no tangents while it runs. While `jvp` runs for one level, they have
those of the levels around it, so that levels nest."""

import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import GraphError, type_name
from ..tensor.dtype_views import unmarked
from ..tensor.grad_mode import no_grad
from ..tensor.history import clear_history, set_history
from ..tensor.overrides import state as overriding
from ..tensor.tensor import TensorBase
from .accumulate_grad import next_functions
from .copy_slices import Replaced
from .forward_mode import below, levels_of, set_tangent, tangent_at, write_tangents, zeros_if_missing
from .function_context import FunctionCtx, is_among, tensors_in
from .inplace import after_write, check_history
from .node import FREED, Node, Output, broadcasts, fit
from .saved_tensors import edge_of, meta_of, zeros_of
from .version_counter import note_write
from .view_history import CUSTOM, MULTI_VIEW


class FunctionNode(Node):
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
    """More gradients than arguments are harmless where they are None."""
    if len(grads) < count or any(g is not None for g in grads[count:]):
        raise GraphError(
            f"function {name} returned an incorrect number of gradients (expected {count}, got {len(grads)})"
        )


def checked(name: str, index: int, grad: Any, meta: Any, requested: Any) -> Any:
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
    """Tensors that forward changed must be inputs and outputs; their versions go up."""
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
    edge: Any = node if len(outputs) == 1 else Output(node, index)
    if dirty and value:
        before = output._grad_fn
        set_history(output, edge if output._base is None else Replaced(edge))  # of a view, that of the base changes too
        after_write(output, before)
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


_OUTERMOST = -1
_MISSING = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."


@contextmanager
def without_tangents(values: Sequence[Any], level: int = _OUTERMOST) -> Iterator[None]:
    """Inside, tensors have only the tangents of levels around this one."""
    held = [(v, v._tangent) for v in values if isinstance(v, TensorBase) and v._tangent is not None]
    for tensor, tangents in held:
        tensor._tangent = {outer: t for outer, t in tangents.items() if outer < level} or None
    try:
        yield
    finally:
        for tensor, tangents in held:
            tensor._tangent = tangents


def push_forward(jvp: Any, ctx: FunctionCtx, args: tuple[Any, ...], outputs: Any, results: tuple[Any, ...]) -> None:
    for result in tensors_in(results):
        if result._tangent is not None and not is_among(result, args):
            result._tangent = None  # forward computed it from a tensor that it was not given
    tensors = tensors_in(args)
    for level in levels_of(tensors):
        if jvp is None:
            raise NotImplementedError(_MISSING)
        along = [_tangent_of(a, level, ctx.materialize_grads) for a in args]
        with without_tangents((*tensors, *tensors_in(results)), level):
            value = _call(jvp, ctx, along, len(results))
        for index, (result, tangent) in enumerate(zip(results, value, strict=True)):
            if tangent is not None:
                _check(tangent, result, index, ctx, outputs[index])
                _check_memory(tangent, result, tensors, level)
                _give(tangent, result, level, written=is_among(result, args))
            elif is_among(result, args) and isinstance(result, TensorBase):
                result._tangent = {other: t for other, t in (result._tangent or {}).items() if other != level} or None


def _tangent_of(argument: Any, level: int, materialize: bool) -> Any:
    if not isinstance(argument, TensorBase) or argument._dtype.kind not in "fc":
        return None
    tangent = tangent_at(argument, level)
    return zeros_if_missing(tangent, argument) if materialize else tangent


def _call(jvp: Any, ctx: FunctionCtx, along: Sequence[Any], count: int) -> tuple[Any, ...]:
    ctx._forward_saved = ctx.saved_for_forward or ()
    try:
        value = jvp(ctx, *along)
    finally:
        del ctx._forward_saved
    return padded_tuple(value, count)


def padded_tuple(value: Any, count: int) -> tuple[Any, ...]:
    result = value if isinstance(value, tuple) else (value,)
    if len(result) != count:
        raise GraphError(
            f"Function's jvp returned an invalid number of forward gradients (expected {count} but got {len(result)})"
        )
    return result


def _check(tangent: Any, result: Any, index: int, ctx: FunctionCtx, output: Any) -> None:
    if not isinstance(tangent, TensorBase):
        raise GraphError(f"expected Variable or None (got {type_name(tangent)}) for grad output {index}.")
    tensor = isinstance(result, TensorBase) and result._dtype.kind in "fc"
    if not tensor or is_among(output, ctx.non_differentiable):
        raise GraphError(
            f"Function's jvp returned a gradient at position {index}, but the corresponding forward output is not a "
            "differentiable Tensor. You should return None at that position instead."
        )
    if tangent._shape != result._shape:
        raise GraphError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(result._shape)} while the given forward gradient is of size "
            f"{list(tangent._shape)}."
        )
    if tangent._dtype.kind == "c" and result._dtype.kind != "c":
        raise GraphError(f"Function's jvp returned a complex tangent at position {index} for a real output")


def _check_memory(tangent: Any, result: Any, inputs: list[Any], level: int) -> None:
    if is_among(result, inputs):
        held = tangent_at(result, level)
        if held is not None and held is not tangent:
            raise GraphError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
                "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
            )
        return
    base = result._base
    shared = [x for x in inputs if base is not None and (base is x or base is x._base)]
    held = tangent_at(shared[0], level) if shared else None
    if held is not None and tangent._base is None:
        raise GraphError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    if held is not None and tangent._storage is not held._storage:
        raise GraphError(
            "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
        )


def _give(tangent: Any, result: Any, level: int, written: bool) -> None:
    before = result._tangent
    tangent = fit(tangent, (result._shape, result._dtype))
    if tangent._tangent is not None and max(tangent._tangent) >= level:
        tangent = below(tangent, level)
    set_tangent(result, level, tangent)
    if written and (before is None or level not in before):
        write_tangents(result, before)
