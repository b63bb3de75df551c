"""What becomes of the outputs of a custom Function's forward: their place in the graph."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

from ...dispatch.writing import check_history
from ...errors import GraphError
from ...modes.grad_mode import no_grad
from ...tensor.base import TensorBase
from ..inplace.copy_slices import Replaced
from ..inplace.inplace import after_write
from ..inplace.view_history import CUSTOM, SEVERAL
from ..inplace.writers import note_write
from ..node import Output, next_sequence
from ..saved.saved import edge_of, meta_of
from .context import FunctionCtx
from .node import FunctionNode


def record(node: FunctionNode | None, ctx: FunctionCtx, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
    """The outputs as the caller gets them; `node` is None where nothing is recorded."""
    if node is not None:
        node.sequence, node.hooks = next_sequence(), None
        node.edges = tuple([edge_of(a) if isinstance(a, TensorBase) else None for a in args])
        node.metas = [meta_of(a) if isinstance(a, TensorBase) else None for a in args]
        node.ctx, ctx._node = ctx, weakref.ref(node)
        node.output_count = len(outputs)
    results = tuple([_result(node, ctx, args, outputs, i) for i in range(len(outputs))])
    if node is not None:
        node.output_metas = [meta_of(o) if isinstance(o, TensorBase) else None for o in results]
    return results


def check_dirty(name: str, ctx: FunctionCtx, args: tuple[Any, ...], outputs: tuple[Any, ...], recording: bool) -> None:
    """Tensors that forward changed must be inputs and outputs, and such as may be changed; their versions go up."""
    for tensor in ctx.dirty_tensors:
        if not _among(tensor, outputs):
            raise GraphError(
                f"{name}: Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function."
            )
        note_write(tensor, name)
        if recording and (tensor._rg or tensor._base is not None):
            check_history(name, tensor)
        if recording and not _among(tensor, args):
            warnings.warn(
                f"{name}: ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
                "mutated should be passed to ctx.mark_dirty().",
                stacklevel=4,
            )


def _among(tensor: Any, others: tuple[Any, ...]) -> bool:
    for other in others:  # noqa: SIM110  (a generator costs as much as all the rest here)
        if tensor is other:
            return True
    return False


def _result(node: FunctionNode | None, ctx: FunctionCtx, args: tuple[Any, ...], outputs: Any, index: int) -> Any:
    """One output: an input that is returned as it is becomes another tensor, unless it was changed in place."""
    output = outputs[index]
    if not isinstance(output, TensorBase):
        return output
    given, dirty = _among(output, args), _among(output, ctx.dirty_tensors)
    if node is None or output._dtype.kind not in "fc" or _among(output, ctx.non_differentiable):
        return _outside_the_graph(output, given, dirty)
    if given and not dirty:
        output = _same(output)
    edge = node if len(outputs) == 1 else Output(node, index)
    if dirty and given:
        _place_written(output, edge)
    else:
        output._fn, output._rg = edge, True
        if output._base is not None:
            output._views = CUSTOM if len(outputs) == 1 else SEVERAL
    return output


def _same(tensor: Any) -> Any:
    """A view of all of a tensor, outside the graph."""
    with no_grad():
        return tensor.view_as(tensor)


def _outside_the_graph(output: Any, given: bool, dirty: bool) -> Any:
    """An output through which nothing is differentiated; an input keeps what it requires."""
    if given:
        return output.detach() if output._rg else output if dirty else _same(output)
    if output._rg and output._base is None:
        output._fn, output._rg = None, False
    return output


def _place_written(tensor: Any, edge: Any) -> None:
    """The place in the graph of an input that was changed in place; through a view, that of its base changes too."""
    before = tensor._fn
    if tensor._base is not None:
        edge = Replaced(edge)
    tensor._fn, tensor._rg = edge, True
    after_write(tensor, before)
