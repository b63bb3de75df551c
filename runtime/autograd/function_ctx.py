"""The two sides of a custom Function's call: `FunctionCtx`, which the user sees, and `FunctionNode` in the graph.

They are separate so that any attribute may be put on ctx; the node keeps ctx, ctx knows its node only weakly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import GraphError, type_name
from ..tensor import TensorBase, alias
from .fitting import fit
from .grad_mode import mode
from .node import FREED, Node
from .saved import alias_of, edge_from, missing_output, modified, version_of


class FunctionCtx:
    """What forward and backward of one call share: saved tensors, flags, and whatever the user puts on it.

    Args:
        needs_input_grad: as the attribute; set by `Function.apply`.

    Attributes:
        needs_input_grad: for each argument of forward, whether it requires grad.
        saved_tensors: what `save_for_backward` kept.
    """

    __slots__ = (
        "__dict__",
        "_dirty",
        "_materialize",
        "_node",
        "_non_differentiable",
        "_saved",
        "_saved_outputs",
        "_versions",
        "needs_input_grad",
        "to_save",
    )

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.to_save: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Any, ...] = ()
        self._materialize = True
        self._saved: Any = ()
        self._versions: tuple[int, ...] = ()
        self._saved_outputs: dict[int, int] = {}  # position among the saved -> number of the output
        self._node: Any = None  # a weak reference once the call is recorded

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs and outputs of forward for backward; read them as `ctx.saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, TensorBase):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument is of type {type_name(tensor)}"
                )
        self.to_save = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs forward changed in place; they must be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing output gradients reach backward as zeros (`value` True, the default) or as None."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept; an error when it was freed or changed in place since."""
        for position, (tensor, version) in enumerate(zip(self._saved, self._versions, strict=True)):
            if tensor is not None and version_of(tensor) != version:
                raise modified(self._node(), f"saved tensor {position}", tensor, version)
        return tuple(self._as_output(t, i) for i, t in enumerate(self._saved))

    saved_variables = saved_tensors

    def _as_output(self, tensor: Any, position: int) -> Any:
        """A saved output gets its place in the graph back when it is read."""
        index = self._saved_outputs.get(position)
        if index is None or not mode.grad:
            return tensor
        t = alias(tensor, tensor._shape, tensor._strides, tensor._offset)
        t._rg = True
        t._fn = edge_from(self._node(), index)
        return t

    def keep(self, outputs: Sequence[Any], results: Sequence[Any]) -> None:
        """Keep what was to be saved; `outputs` as aliases of `results`, so that node and output form no cycle."""
        kept = []
        for position, tensor in enumerate(self.to_save):
            index = next((i for i, o in enumerate(outputs) if o is tensor and tensor is not None), None)
            if index is not None and results[index]._fn is not None:
                self._saved_outputs[position] = index
                tensor = alias_of(results[index])
            kept.append(tensor)
        self._saved = tuple(kept)
        self._versions = tuple(0 if t is None else version_of(t) for t in kept)
        self.to_save = ()


class FunctionNode(Node):
    """The graph node of one call; `grad_fn` shows the user's attributes of ctx too."""

    __slots__ = ("ctx", "output_count", "output_metas")
    ctx: Any
    output_metas: Any
    function: Any = None
    gives_fresh = False  # the user's backward may keep what it returns
    saved_slots = ("ctx",)
    op_name = "autograd.Function"
    spec_place = "user code"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "ctx":
            raise AttributeError(name)
        return getattr(self.ctx, name)

    def release(self) -> None:
        """Forget the saved tensors; the user's own attributes stay."""
        self.ctx._saved = FREED

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Call the user's backward and check what it returns."""
        ctx = self.ctx
        grads = [grad] if self.output_count == 1 else grad
        if ctx._materialize:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        found = self.function.backward(ctx, *grads)
        return self._checked(found if isinstance(found, tuple) else (found,))

    def _zeros(self, index: int) -> Any:
        return None if self.output_metas[index] is None else missing_output(self, index)

    def _checked(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        count = len(self.edges)
        if len(grads) < count or any(g is not None for g in grads[count:]):
            raise GraphError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got {len(grads)})"
            )
        zipped = zip(grads, self.edges, self.metas, strict=False)
        return tuple(self._fit(i, g, edge, meta) for i, (g, edge, meta) in enumerate(zipped))

    def _fit(self, index: int, grad: Any, edge: Any, meta: Any) -> Any:
        if grad is None or edge is None:
            return None
        if not isinstance(grad, TensorBase):
            raise TypeError(f"{self.name()}: expected Tensor or None as gradient {index}, but got {type_name(grad)}")
        if grad._shape != meta[0] and not _reducible(grad._shape, meta[0]):
            raise GraphError(
                f"Function {self.name()} returned an invalid gradient at index {index} - got {list(grad._shape)} but "
                f"expected shape compatible with {list(meta[0])}"
            )
        return fit(grad, meta)


def _reducible(shape: Any, target: Any) -> bool:
    """Whether `shape` is what `target` broadcasts to."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) >= len(target) and all(t in (1, s) for s, t in pairs)
