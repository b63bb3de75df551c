"""`checkpoint_sequential`: a chain of functions, checkpointed in segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .checkpoint import checkpoint, default_variant


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Functions one after the other, checkpointed in segments; the last segment keeps its intermediate results.

    Args:
        functions: an `nn.Sequential`, or a list of modules or functions of one tensor.
        segments: the number of segments.
        input: what the first function gets.
        use_reentrant: as of `checkpoint`.
        **kwargs: `preserve_rng_state`, as of `checkpoint`.

    Raises:
        ValueError: another keyword argument, or more segments than functions.

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
        segment = _Segment(steps[start : start + size])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=keep_rng)
    return _Segment(steps[last:])(input)


class _Segment:
    """Functions one after the other."""

    def __init__(self, steps: list[Callable[[Any], Any]]) -> None:
        self.steps = steps

    def __call__(self, value: Any) -> Any:
        for step in self.steps:
            value = step(value)
        return value
