"""`checkpoint` and `checkpoint_sequential`: intermediate results are computed again in backward instead of kept.

`CheckpointFunction` is the older way: it runs without recording, and backward within its backward.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from ...autograd.backward import backward
from ...autograd.function import Function
from ...errors import GraphError, warn_user
from ...tensor.generator import default_generator, fork_rng
from ...tensor.grad_mode import enable_grad, mode, no_grad
from ...tensor.tensor import TensorBase
from ...thread_state import PerThread
from .recomputed_frame import Frame, OpLog, autocast_again, description
from .selective import detached


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with the tensors among them detached from the graph, but requiring grad where they did.

    Args:
        inputs: a tuple of tensors and other values; else a RuntimeError.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(map(detached, inputs))


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
        with fork_rng(enabled=ctx.rng is not None), ctx.autocast(), enable_grad():
            if ctx.rng is not None:
                default_generator._restore(ctx.rng)
            outputs = ctx.function(*detached)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=True) if isinstance(o, TensorBase) and o._requires_grad]
        if not pairs:
            raise GraphError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return None, None, *[value._grad if isinstance(value, TensorBase) else None for value in detached]


_MISSING = (
    "specgrad.utils.checkpoint.{}: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
    "recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to "
    "docs for more details on the differences between the two variants."
)
CHECKS: dict[str, Callable[[Any], Any]] = {"default": description, "none": lambda tensor: None}


class _Settings(PerThread):
    """Settings by the context managers below; None leaves it to the arguments."""

    def __init__(self) -> None:
        self.early_stop: bool | None = None
        self.debug: bool | None = None


_settings = _Settings()


@contextlib.contextmanager
def _set(name: str, value: bool | None) -> Iterator[None]:
    before = getattr(_settings, name)
    setattr(_settings, name, value)
    try:
        yield
    finally:
        setattr(_settings, name, before)


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The contexts that a checkpointed function and its repetition run in by default: they do nothing.

    Example:
        >>> [type(context).__name__ for context in noop_context_fn()]
        ['nullcontext', 'nullcontext']
    """
    return nullcontext(), nullcontext()


def set_checkpoint_early_stop(enable: bool) -> AbstractContextManager[None]:
    """Whether checkpointed calls made inside are repeated only up to the last tensor that backward needs.

    Args:
        enable: False lets them run to their end. It comes before the argument `early_stop` of `checkpoint`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(2.0, requires_grad=True)
        >>> with set_checkpoint_early_stop(False):
        ...     y = checkpoint(sg.exp, x, use_reentrant=False)
        >>> y.backward()
    """
    return _set("early_stop", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> AbstractContextManager[None]:
    """Whether checkpointed calls made inside log their ops for error messages.

    Args:
        enabled: comes before the argument `debug` of `checkpoint`, unless it is None.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(2.0, requires_grad=True)
        >>> with set_checkpoint_debug_enabled(True):
        ...     y = checkpoint(sg.exp, x, use_reentrant=False)
    """
    return _set("debug", enabled)


def default_variant(name: str) -> bool:
    warn_user(_MISSING.format(name))
    return True


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs), whose intermediate results are not kept: backward calls the function again.

    Args:
        function: what is to be computed; the same each time that it is called.
        *args: its arguments.
        use_reentrant: False is what should be chosen: gradients of any kind work, and all that `function` reaches gets
            them. True runs `function` unrecorded and starts a backward pass of its own in backward: the arguments must
            require grad, and `autograd.grad` is not possible. Without it, True, with a warning.
        context_fn: gives two context managers, one that `function` runs in and one for its repetition.
        determinism_check: 'default' compares shapes, dtypes and devices of what the calls save, 'none' nothing.
        debug: whether the error about calls that differ shows the ops of both.
        early_stop: end the repetition when all that is needed has been computed.
        **kwargs: `preserve_rng_state`, by default True: the repetition draws the same random numbers. All others go to
            `function`, where `use_reentrant` is False.

    Returns:
        What `function` returns.

    Raises:
        ValueError: an argument that does not go with `use_reentrant`, or another `determinism_check`.
        CheckpointError: from backward, when the second call saves other tensors than the first.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> y = checkpoint(lambda t: (t * t).exp(), x, use_reentrant=False)
        >>> y.sum().backward()
        >>> x.grad
        tensor([  5.4366, 218.3926])
    """
    keep_rng = kwargs.pop("preserve_rng_state", True)
    if use_reentrant is None:
        use_reentrant = default_variant("checkpoint")
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, keep_rng, *args)
    if determinism_check not in CHECKS:
        raise ValueError(f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}")
    forward, repeated = context_fn()
    if not mode.grad:
        return function(*args, **kwargs)
    stop = early_stop if _settings.early_stop is None else _settings.early_stop
    frame = Frame(function, args, kwargs, keep_rng, stop)
    frame.describe, frame.context = CHECKS[determinism_check], repeated
    if debug if _settings.debug is None else _settings.debug:
        frame.log = OpLog()
    with frame.logging(), forward, frame.hooks():
        result = function(*args, **kwargs)
    frame.complete = True
    return result


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Functions one after the other, checkpointed in segments; the last segment keeps its intermediate results.

    Args:
        functions: an `nn.Sequential`, or a list of modules or functions of one tensor.
        segments: the number of segments; a ValueError where there are more than functions.
        input: what the first function gets.
        use_reentrant, **kwargs: as of `checkpoint`; of keyword arguments `preserve_rng_state` alone.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(0.5, requires_grad=True)
        >>> checkpoint_sequential([sg.sin, sg.exp, sg.tanh], 2, x, use_reentrant=False).backward()
    """
    if use_reentrant is None:
        use_reentrant = default_variant("checkpoint_sequential")
    keep_rng = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    if not 1 <= segments <= len(steps):
        raise ValueError(f"checkpoint_sequential(): expected 1 to {len(steps)} segments, but got {segments}")
    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        segment = partial(_in_turn, steps[start : start + size])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=keep_rng)
    return _in_turn(steps[last:], input)


def _in_turn(steps: list[Callable[[Any], Any]], value: Any) -> Any:
    for step in steps:
        value = step(value)
    return value
