"""Filling gradients with zeros, for who wants to keep the tensors."""

from __future__ import annotations

from typing import Any


def zero_gradient(leaf: Any) -> None:
    """Write zeros to the tensor that is the leaf's gradient; it stays the same tensor, and leaves the graph.

    Raises:
        RuntimeError: the gradient is a view that has a place in the graph.
    """
    grad = leaf.grad
    if grad is None:
        return
    if grad.grad_fn is None:
        grad.requires_grad_(False)
    else:
        grad.detach_()
    grad.zero_()
