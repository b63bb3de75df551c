"""`autograd.Function`: a graph node written by hand, with static methods `forward` and `backward`."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from ..errors import GraphError
from ..tensor import TensorBase
from ..writing import check_not_leaf
from .function_ctx import FunctionCtx, FunctionNode
from .grad_mode import mode, no_grad, watch
from .inplace import after_write
from .node import Node, Output, next_sequence
from .saved import edge_of, meta_of


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

    _node_class: Any = FunctionNode

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        slots = {"__slots__": (), "function": cls, "op_name": cls.__name__}
        cls._node_class = type(f"{cls.__name__}Backward", (FunctionNode,), slots)

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
        """Run forward and, where an argument requires grad, record the call.

        Args:
            *args: what forward gets; those that are tensors and require grad are differentiated.
            **kwargs: the same, by name; not differentiated.
        """
        ctx = FunctionCtx(tuple(isinstance(a, TensorBase) and a._rg for a in args))
        with no_grad():
            if cls.setup_context is None:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        outputs = output if isinstance(output, tuple) else (output,)
        recording = mode.grad and any(ctx.needs_input_grad)
        _check_dirty(cls, ctx, outputs, recording)
        if not recording:
            return output
        results = _record(cls._node_class(), ctx, args, outputs)
        return results if isinstance(output, tuple) else results[0]


def _check_dirty(cls: type[Function], ctx: FunctionCtx, outputs: tuple[Any, ...], recording: bool) -> None:
    """Tensors that forward changed must be returned, and be such as may be changed; their versions go up."""
    for tensor in ctx._dirty:
        if not any(tensor is o for o in outputs):
            raise GraphError(f"{cls.__name__}: a tensor marked dirty must be returned as an output")
        if recording and tensor._rg:
            check_not_leaf(cls.__name__, tensor)
        tensor._bump_version(cls.__name__)


def _record(node: FunctionNode, ctx: FunctionCtx, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Put the outputs into the graph."""
    node.sequence = next_sequence()
    node.hooks = None
    node.edges = tuple(edge_of(a) if isinstance(a, TensorBase) else None for a in args)
    node.metas = [meta_of(a) if isinstance(a, TensorBase) else None for a in args]
    node.ctx, ctx._node = ctx, weakref.ref(node)
    node.output_count = len(outputs)
    results = tuple(_as_result(ctx, args, o) for o in outputs)
    node.output_metas = [meta_of(o) if isinstance(o, TensorBase) else None for o in results]
    for index, result in enumerate(results):
        if isinstance(result, TensorBase) and _is_differentiable(ctx, outputs[index]):
            before = result._fn
            result._fn = node if len(results) == 1 else Output(node, index)
            result._rg = True
            if any(result is d for d in ctx._dirty):
                after_write(result, before)
    ctx.keep(outputs, results)
    if watch.notes:
        watch.note(results)
    return results


def _as_result(ctx: FunctionCtx, args: tuple[Any, ...], output: Any) -> Any:
    """An input returned as it is becomes a new tensor, unless it was changed in place."""
    returned = isinstance(output, TensorBase) and any(output is a for a in args)
    return output.detach() if returned and not any(output is d for d in ctx._dirty) else output


def _is_differentiable(ctx: FunctionCtx, output: Any) -> bool:
    return output._dtype.kind in "fc" and not any(output is t for t in ctx._non_differentiable)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward that cannot be differentiated again: doing so is an error instead of a wrong result.

    Args:
        backward: the static method `backward` of a Function.

    Example:
        >>> import specgrad as sg
        >>> class Double(sg.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     @sg.autograd.function.once_differentiable
        ...     def backward(ctx, grad):
        ...         return 2 * grad
        >>> x = sg.tensor(1.0, requires_grad=True)
        >>> sg.autograd.grad(Double.apply(x), x)
        (tensor(2.),)
    """

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
