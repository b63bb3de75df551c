"""`autograd.Function`: a graph node written by hand, with static methods `forward` and `backward`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import GraphError, type_name
from ..tensor import TensorBase, alias
from .fitting import fit
from .grad_mode import mode, no_grad
from .inplace import after_write
from .node import Node, Output, next_sequence
from .saved import alias_of, edge_of, meta_of, missing_output, unpack_list


class FunctionCtx(Node):
    """The `ctx` of a Function: a node with the user's own attributes, and what forward saved."""

    __slots__ = (
        "__dict__",
        "_non_differentiable",
        "_saved",
        "_saved_outputs",
        "_saved_version",
        "_dirty",
        "_materialize",
        "needs_input_grad",
        "output_metas",
        "to_save",
    )
    function: Any = None
    saved_slots = ("_saved",)
    op_name = "autograd.Function"
    spec_place = "user code"

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs and outputs of forward for backward; read them as `ctx.saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, TensorBase):
                raise TypeError(f"save_for_backward can only save variables, but argument is of type {type_name(tensor)}")
        self.to_save = tensors

    save_for_forward = save_for_backward

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs forward changed in place; they must be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing output gradients reach backward as zeros (the default) or as None."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept; an error when it was freed or changed in place since."""
        saved = unpack_list(self, "_saved")
        return tuple(self._as_output(t, i) for i, t in enumerate(saved or ()))

    saved_variables = saved_tensors

    def _as_output(self, tensor: Any, position: int) -> Any:
        """A saved output gets its place in the graph back when it is read."""
        index = self._saved_outputs.get(position)
        if index is None or not mode.grad:
            return tensor
        t = alias(tensor, tensor._shape, tensor._strides, tensor._offset)
        t._rg = True
        t._fn = self if self.output_count == 1 else Output(self, index)
        return t

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Call the user's backward and check what it returns."""
        grads = [grad] if self.output_count == 1 else grad
        if self._materialize:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        found = self.function.backward(self, *grads)
        found = found if isinstance(found, tuple) else (found,)
        return self._checked(found)

    def _zeros(self, index: int) -> Any:
        return None if self.output_metas[index] is None else missing_output(self, index)

    def _checked(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        count = len(self.edges)
        if len(grads) > count and any(g is not None for g in grads[count:]) or len(grads) < count:
            raise GraphError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got {len(grads)})"
            )
        return tuple(self._fit(i, g, e, m) for i, (g, e, m) in enumerate(zip(grads, self.edges, self.metas, strict=False)))

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


class Function:
    """Base class of custom differentiable functions.

    Subclass it with static methods `forward(ctx, *args)` (or `forward(*args)` and `setup_context(ctx, inputs, output)`)
    and `backward(ctx, *grad_outputs)`, which returns one gradient, or None, for each argument of forward. Call `apply`.

    Example:
        >>> import specgrad as sg
        >>> class Cube(sg.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**3
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return grad * 3 * x**2
        >>> x = sg.tensor(2.0, requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor(12.)
    """

    _node_class: Any = FunctionCtx

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        node = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls, "op_name": cls.__name__})
        cls._node_class = node

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the arguments from those of the outputs."""
        raise NotImplementedError("You must implement the backward for your custom autograd.Function.")

    vjp = backward
    setup_context: Any = None

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and, where an argument requires grad, record the call."""
        ctx = _new_context(cls, args)
        with no_grad():
            if cls.setup_context is None:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        return _record(ctx, args, output)


def _new_context(cls: type[Function], args: tuple[Any, ...]) -> FunctionCtx:
    ctx = cls._node_class()
    ctx.sequence = next_sequence()
    ctx.hooks = None
    ctx.to_save = ctx._dirty = ctx._non_differentiable = ()
    ctx._saved = ctx._saved_version = None
    ctx._saved_outputs = {}
    ctx._materialize = True
    ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a._rg for a in args)
    ctx.edges = tuple(edge_of(a) if isinstance(a, TensorBase) else None for a in args)
    ctx.metas = [meta_of(a) if isinstance(a, TensorBase) else None for a in args]
    return ctx


def _record(ctx: FunctionCtx, args: tuple[Any, ...], output: Any) -> Any:
    """Put the outputs into the graph, or hand them on as they are when nothing is recorded."""
    outputs = output if isinstance(output, tuple) else (output,)
    for tensor in ctx._dirty:
        if not any(tensor is o for o in outputs):
            raise GraphError(f"{ctx.name()}: a tensor marked dirty must be returned as an output")
        tensor._bump_version()
    if not (mode.grad and any(ctx.needs_input_grad)):
        return output
    ctx.output_count = len(outputs)
    results = tuple(_as_result(ctx, args, o) for o in outputs)
    ctx.output_metas = [meta_of(o) if isinstance(o, TensorBase) else None for o in results]
    for index, result in enumerate(results):
        if isinstance(result, TensorBase) and _is_differentiable(ctx, outputs[index]):
            before = result._fn
            result._fn = ctx if len(results) == 1 else Output(ctx, index)
            result._rg = True
            if any(outputs[index] is d for d in ctx._dirty):
                after_write(result, before)
    _save(ctx, outputs, results)
    return results if isinstance(output, tuple) else results[0]


def _as_result(ctx: FunctionCtx, args: tuple[Any, ...], output: Any) -> Any:
    """An input returned as it is becomes a new tensor, unless it was changed in place."""
    returned = isinstance(output, TensorBase) and any(output is a for a in args)
    return output.detach() if returned and not any(output is d for d in ctx._dirty) else output


def _is_differentiable(ctx: FunctionCtx, output: Any) -> bool:
    return output._dtype.kind in "fc" and not any(output is t for t in ctx._non_differentiable)


def _save(ctx: FunctionCtx, outputs: tuple[Any, ...], results: tuple[Any, ...]) -> None:
    """Keep what was saved; outputs as aliases, so that the node and its own output form no cycle."""
    kept = []
    for position, tensor in enumerate(ctx.to_save):
        index = next((i for i, o in enumerate(outputs) if o is tensor and tensor is not None), None)
        if index is not None and results[index]._fn is not None:
            ctx._saved_outputs[position] = index
            tensor = alias_of(results[index])
        kept.append(tensor)
    ctx._saved = tuple(kept)
    ctx._saved_version = [0 if t is None else t._version for t in kept]
    ctx.to_save = ()


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward that cannot be differentiated again: doing so is an error instead of a wrong result."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        recording = mode.grad and any(isinstance(g, TensorBase) and g._rg for g in grads)
        with no_grad():
            found = backward(ctx, *grads)
        if not recording:
            return found
        results = found if isinstance(found, tuple) else (found,)
        marked = tuple(_refuse_second(g) if isinstance(g, TensorBase) else g for g in results)
        return marked if isinstance(found, tuple) else marked[0]

    return wrapper


class _Refuse(Node):
    """The node of a gradient that must not be differentiated again."""

    __slots__ = ()

    def apply(self, grad: Any) -> tuple[Any, ...]:
        raise GraphError("trying to differentiate twice a function that was marked with @once_differentiable")


def _refuse_second(grad: Any) -> Any:
    result = grad.detach()
    node = _Refuse.__new__(_Refuse)
    node.sequence, node.hooks, node.metas, node.edges = next_sequence(), None, None, ()
    result._fn, result._rg = node, True
    return result
