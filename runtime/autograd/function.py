"""`autograd.Function`: an op written by hand, with static methods `forward` and `backward`."""

import functools
import inspect
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from ..errors import GraphError
from ..tensor.grad_mode import mode, no_grad
from ..tensor.history import set_history
from ..tensor.observers import NOT_HANDLED, watch
from ..tensor.tensor import TensorBase
from .function_context import FunctionCtx
from .function_node import FunctionNode, check_dirty, push_forward, record, without_tangents
from .node import Node


class Function:
    """Base class of custom differentiable functions.

    Subclass it with static methods `forward(ctx, *args)` (or `forward(*args)` and `setup_context(ctx, inputs, output)`)
    and `backward(ctx, *grad_outputs)`, which returns one gradient, or None, for each argument of forward. Call `apply`.
    Forward mode needs `jvp(ctx, *grad_inputs)`; vmap needs `vmap(info, in_dims, *args)` or `generate_vmap_rule = True`.

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

    _backward_cls: Any = FunctionNode
    _signature: Any = (None, None, 0)  # of forward: the function, its signature, its number of positional parameters
    generate_vmap_rule = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        slots = {"__slots__": (), "_forward_cls": cls, "op_name": cls.__name__}
        cls._backward_cls = type(f"{cls.__name__}Backward", (FunctionNode,), slots)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a Function is not an object with state."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            f"function with static forward method: {type(self).__name__}.apply(...)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Put on ctx what backward needs, where forward is not given ctx: from `inputs` and `output` of forward."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **_: Any) -> Any:
        """Compute the gradients of the arguments from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Compute the tangents of the outputs from those of the arguments."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """Compute the outputs of a whole batch, and where each has the batch's dimension.

        `info` has `batch_size` and `randomness`; `in_dims` has the batch's dimension in each of `args`, or None."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and, where an argument requires grad, record the call.

        Args:
            *args: what forward gets; those that are tensors and require grad are differentiated.
            **kwargs: the same, by the names of forward's parameters.
        """
        if kwargs or cls.setup_context is not Function.setup_context:
            args = _by_position(cls, args, kwargs)
        if watch.active or watch.functions:
            return _apply_watched(cls, args)
        ctx = FunctionCtx(tuple([isinstance(a, TensorBase) and a._requires_grad for a in args]))
        output = _run_forward(cls, ctx, args)
        outputs, results = _settle(cls, ctx, args, output)
        ctx.keep(outputs, results)
        return results if isinstance(output, tuple) else results[0]

    @classmethod
    def _gradient_rule(cls) -> Callable[..., Any]:
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp


def _by_position(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Arguments as forward's parameters list them, defaults too: setup_context and backward see all of them."""
    ctx = (None,) if cls.setup_context is Function.setup_context else ()
    forward, signature, count = cls._signature
    if forward is not cls.forward:
        signature = inspect.signature(cls.forward)
        count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values())
        cls._signature = cls.forward, signature, count
    if not kwargs and len(args) >= count:
        return args
    bound = signature.bind(*ctx, *args, **kwargs)
    bound.apply_defaults()
    for name in kwargs:
        if name in bound.kwargs:
            raise TypeError(f"{cls.__name__}.forward() got an unexpected keyword argument {name!r}: it has no position")
    return bound.args[len(ctx) :]


def _run_forward(cls: Any, ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
    before, mode.grad = mode.grad, False
    try:
        if cls.setup_context is Function.setup_context:
            return cls.forward(ctx, *args)
        output = cls.forward(*args)
        cls.setup_context(ctx, args, output)
        return output
    finally:
        mode.grad = before


def _settle(cls: Any, ctx: FunctionCtx, args: tuple[Any, ...], output: Any) -> tuple[Any, Any]:
    """Put the outputs into the graph where there is one; what forward returned, and what its caller gets."""
    outputs = output if isinstance(output, tuple) else (output,)
    recording = bool(mode.grad) and True in ctx.needs_input_grad
    if ctx.dirty_tensors:
        check_dirty(cls.__name__, ctx, args, outputs, recording)
    return outputs, record(cls._backward_cls if recording else None, ctx, args, outputs)


def _apply_watched(cls: Any, args: tuple[Any, ...]) -> Any:
    for function in watch.functions:
        result = function(cls, args)
        if result is not NOT_HANDLED:
            return result
    ctx = FunctionCtx(tuple([isinstance(a, TensorBase) and a._requires_grad for a in args]))
    with ExitStack() as spans:
        for span in watch.spans:
            spans.enter_context(span(cls.__name__, args))
        with without_tangents(args):
            output = _run_forward(cls, ctx, args)
            outputs, results = _settle(cls, ctx, args, output)
        push_forward(None if cls.jvp is Function.jvp else cls.jvp, ctx, args, outputs, results)
        ctx.keep(outputs, results)
        if ctx._node is not None:
            watch.note(results)
    return results if isinstance(output, tuple) else results[0]


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
        recording = mode.grad and any(isinstance(g, TensorBase) and g._requires_grad for g in grads)
        with no_grad():
            result = backward(ctx, *grads)
        if not recording:
            return result
        results = result if isinstance(result, tuple) else (result,)
        guarded_grads = tuple([_refuse_second(g) if isinstance(g, TensorBase) else g for g in results])
        return guarded_grads if isinstance(result, tuple) else guarded_grads[0]

    return wrapper


class Error(Node):
    """The node of a gradient that must not be differentiated again, under PyTorch's name for it."""

    __slots__ = ()

    def apply(self, grad: Any) -> tuple[Any, ...]:
        raise GraphError("trying to differentiate twice a function that was marked with @once_differentiable")


def _refuse_second(grad: Any) -> Any:
    result = grad.detach()
    set_history(result, Error())
    return result


class InplaceFunction(Function):
    """A Function, under the name that those which write to their input had; derive from `Function` instead.

    Args:
        inplace: kept as an attribute.

    Example:
        >>> import specgrad as sg
        >>> class Double(sg.autograd.function.InplaceFunction):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> x = sg.tensor(1.0, requires_grad=True)
        >>> Double.apply(x * 3).backward()
        >>> x.grad
        tensor(6.)
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: Any = inplace
