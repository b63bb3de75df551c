"""Gradients that are None all the way: the nodes below are visited all the same, for hooks and custom Functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Missing(list[Any]):
    """What waits for a node to which only None has come so far, for each of its outputs."""

    def __add__(self, grad: Any) -> Any:
        """The first gradient after all."""
        return grad


def apply_if_given(node: Any, grad: Any) -> Sequence[Any]:
    """What a node makes of its gradient; None gives None, except in custom Functions, which make zeros of it."""
    given = grad is not None if node.output_count == 1 else any(g is not None for g in grad)
    return node.apply(grad) if given or node.runs_without else (None,) * len(node.edges)


def step_without(backward_pass: Any, node: Any, waiting: Missing) -> tuple[Any, Any]:
    """Run a node to which None has come, as a step of a backward pass."""
    grad = None if node.output_count == 1 else list(waiting)
    if node.runs_without or any(g is not None for g in waiting):
        return backward_pass.step(node, grad)
    return backward_pass.step_with_hooks(node, grad)
