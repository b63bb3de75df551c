"""The older way to checkpoint: a custom Function that runs without recording, and backward within its backward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...errors import GraphError, warn_user
from ...modes.grad_mode import enable_grad, mode, no_grad
from ...random import default_generator, fork_rng
from ...tensor.base import TensorBase
from ..backward import backward
from ..custom.function import Function
from .frame import autocast_again


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with the tensors among them detached from the graph, but requiring grad where they did.

    Args:
        inputs: a tuple of tensors and other values.

    Raises:
        RuntimeError: `inputs` is no tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple([_detached(value) if isinstance(value, TensorBase) else value for value in inputs])


def _detached(tensor: Any) -> Any:
    return tensor.detach().requires_grad_(tensor.requires_grad)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn where no tensor among the arguments requires grad: then nothing in a reentrant checkpoint gets gradients.

    Args:
        inputs: the arguments.
    """
    if not any(isinstance(value, TensorBase) and value._requires_grad for value in inputs):
        warn_user("None of the inputs have requires_grad=True. Gradients will be None")


class CheckpointFunction(Function):
    """Runs a function without recording it, and again, recorded, when its gradient is wanted."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], keep_rng: bool, *args: Any) -> Any:
        """The function's outputs; of its arguments the tensors are saved."""
        check_backward_validity(args)
        ctx.function = function
        ctx.autocast = autocast_again()
        ctx.rng = default_generator._state_slots() if keep_rng else None
        ctx.tensors = [position for position, value in enumerate(args) if isinstance(value, TensorBase)]
        ctx.others = [None if isinstance(value, TensorBase) else value for value in args]
        ctx.save_for_backward(*[args[position] for position in ctx.tensors])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run the function again, then a backward pass of its own."""
        if mode.captures:
            raise GraphError(
                "When use_reentrant=True, specgrad.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or "
                "call .backward() without passing the `inputs` argument."
            )
        args = list(ctx.others)
        for position, tensor in zip(ctx.tensors, ctx.saved_tensors, strict=True):
            args[position] = tensor
        detached = detach_variable(tuple(args))
        outputs = CheckpointFunction.again(ctx, detached)
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=True) if isinstance(o, TensorBase) and o._requires_grad]
        if not pairs:
            raise GraphError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return None, None, *[value._grad if isinstance(value, TensorBase) else None for value in detached]

    @staticmethod
    def again(ctx: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs for `args`, recorded this time, with the same random numbers."""
        with fork_rng(enabled=ctx.rng is not None), ctx.autocast(), enable_grad():
            if ctx.rng is not None:
                default_generator._restore(ctx.rng)
            outputs = ctx.function(*args)
        return outputs if isinstance(outputs, tuple) else (outputs,)
