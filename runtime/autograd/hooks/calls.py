"""How the engine calls hooks, in which order, and what they may return.

On the gradient of a node's outputs: the hooks of the output tensors in order of registration, then what `retain_grad`
keeps, then the node's pre-hooks, then the node itself, then its post-hooks. On that of a leaf the same, where the node
is the leaf's `AccumulateGrad`; hooks that want the leaf with its `.grad` run right after that was added to.
"""

from __future__ import annotations

from typing import Any

from ...errors import type_name
from ...tensor.base import TensorBase
from .hooks import Hooks


def run_tensor_hooks(hooks: Hooks, grad: Any, index: int = 0) -> Any:
    """Pass a gradient through the hooks of output `index`, in order of registration; then it may be retained."""
    for number, hook in list(hooks.tensor.values()):
        if number == index and (new := hook(grad)) is not None:
            grad = replaced(hook, new, grad)
    for number, keep in list(hooks.retained.values()):
        if number == index and grad is not None:
            keep(grad)
    return grad


def run_output_hooks(node: Any, grad: Any) -> Any:
    """Tensor hooks on the gradient of a node's outputs."""
    if node.output_count == 1:
        return run_tensor_hooks(node.hooks, grad)
    return [run_tensor_hooks(node.hooks, g, i) for i, g in enumerate(grad)]


def run_pre_hooks(node: Any, grad: Any) -> Any:
    """Tensor hooks, then pre-hooks, on the gradient of a node that is about to run."""
    grad = run_output_hooks(node, grad)
    given = (grad,) if node.output_count == 1 else tuple(grad)
    for hook in list(node.hooks.pre.values()):
        if (new := hook(given)) is not None:
            given = all_replaced(hook, new, given)
    return given[0] if node.output_count == 1 else list(given)


def run_post_hooks(node: Any, grads: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
    """Post-hooks on the gradients that a node has just computed."""
    given = (grad,) if node.output_count == 1 else tuple(grad)
    for hook in list(node.hooks.post.values()):
        if (new := hook(grads, given)) is not None:
            grads = all_replaced(hook, new, grads)
    return grads


def run_leaf_pre_hooks(hooks: Hooks, grad: Any) -> Any:
    """The pre-hooks of a leaf's AccumulateGrad, where somebody has that node."""
    node = accumulator(hooks)
    return grad if node is None else run_pre_hooks(node, grad)


def run_accumulated_hooks(leaf: Any, hooks: Hooks, grad: Any) -> None:
    """What runs after a gradient was added to a leaf's `.grad`: the leaf's own hooks, then its AccumulateGrad's."""
    for hook in list(hooks.accumulated.values()):
        new = hook(leaf)
        if new is not None and replaced(hook, new, leaf) is not leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    node = accumulator(hooks)
    if node is not None:
        run_post_hooks(node, (), grad)


def accumulator(hooks: Hooks) -> Any:
    """The AccumulateGrad of a leaf if it is alive and has hooks."""
    node = None if hooks.accumulator is None else hooks.accumulator()
    return None if node is None or node.hooks is None else node


def replaced(hook: Any, new: Any, old: Any) -> Any:
    """What a hook has returned in place of a gradient, if that may stand there."""
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(new, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type_name(new)}'")
    if new._dtype is not old._dtype:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {old._dtype!r}, got {new._dtype!r})"
        )
    if new._shape != old._shape:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the size of value (was {list(old._shape)}, got {list(new._shape)})"
        )
    return new


def all_replaced(hook: Any, new: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a hook of a node has returned in place of its gradients; each may be None."""
    if not isinstance(new, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type_name(new)}'")
    if len(new) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(new)}, but expected {len(old)})"
        )
    return tuple([None if n is None else replaced(hook, n, o) for n, o in zip(new, old, strict=True)])


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")
