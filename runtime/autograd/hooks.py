"""Hooks on tensors and nodes: where they are kept, how they are removed, in which order the engine calls them.

A node's hooks live in `node.hooks`, a `Hooks` record made on first use; a leaf's in its `_hooks`. On the gradient of a
node's outputs: the hooks of the output tensors in order of registration, then what `retain_grad` keeps, then the node's
pre-hooks, then the node itself, then its post-hooks. On that of a leaf the same, where the node is its
`AccumulateGrad`; hooks that want the leaf with its `.grad` run right after that was added to."""

import itertools
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import type_name
from ..tensor.dtype_views import unmarked
from ..tensor.tensor import TensorBase

_ids = itertools.count()


class Registered:
    """Whether a leaf has ever had a hook: until then the engine need not look for them."""

    __slots__ = ("leaf_hooks",)

    def __init__(self) -> None:
        self.leaf_hooks = False


registered = Registered()


class RemovableHandle:
    """Takes a hook away again: `handle.remove()`, or by leaving its `with` block.

    Args:
        hooks_dict: the table in which the hook is put under the handle's `id`.
        extra_dict: a table, or several, with notes about how to call the hook.
    """

    def __init__(self, hooks_dict: dict[int, Any], *, extra_dict: Any = ()) -> None:
        extra = () if extra_dict is None else (extra_dict,) if isinstance(extra_dict, dict) else extra_dict
        self.tables: tuple[dict[int, Any], ...] = (hooks_dict, *extra)
        self.id = next(_ids)

    def remove(self) -> None:
        """Remove the hook; doing so twice is harmless."""
        for table in self.tables:
            table.pop(self.id, None)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Hooks:
    __slots__ = ("accumulated", "accumulator", "post", "pre", "retained", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, tuple[int, Callable[..., Any]]] = {}  # id -> (output number, hook)
        self.retained: dict[int, tuple[int, Callable[..., Any]]] = {}  # run after those of `tensor`
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.accumulated: dict[int, Callable[..., Any]] = {}
        self.accumulator: Any = None  # of a leaf: a weak reference to its AccumulateGrad, if that was given hooks


def add_hook(table: Any, hook: Any, prepend: bool = False, notes: Any = ()) -> RemovableHandle:
    """`notes` are tables that forget the hook too."""
    handle = RemovableHandle(table, extra_dict=notes)
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def add_tensor_hook(tensor: Any, hook: Callable[..., Any]) -> RemovableHandle:
    if tensor.is_leaf:
        return add_hook(leaf_hooks(tensor).tensor, (0, hook))
    hooks, index = _output_hooks(tensor._grad_fn)
    return add_hook(hooks.tensor, (index, hook))


def _output_hooks(edge: Any) -> tuple[Hooks, int]:
    node, index = (edge, 0) if edge.edge_kind == 0 else (edge.node, edge.index)
    return hooks_of(node), index


def hooks_of(node: Any) -> Hooks:
    new = Hooks()
    if node.hooks is None:  # no other thread gets in between here
        node.hooks = new
    return node.hooks


def leaf_hooks(tensor: Any) -> Hooks:
    """The hooks of a leaf; from the first on, the engine looks for them."""
    new = Hooks()
    if tensor._hooks is None:  # no other thread gets in between here
        tensor._hooks = new
        registered.leaf_hooks = True
    return tensor._hooks


def retain_grad(tensor: Any) -> RemovableHandle:
    """Keep the gradient of a non-leaf in its `.grad`; the hook holds the tensor weakly, so no cycle arises."""
    reference = weakref.ref(tensor)

    def keep(grad: Any) -> None:
        alive = reference()
        if alive is not None:
            alive._grad = grad.clone() if alive._grad is None else alive._grad + grad

    hooks, index = _output_hooks(tensor._grad_fn)
    return add_hook(hooks.retained, (index, keep))


def run_tensor_hooks(hooks: Hooks, grad: Any, index: int = 0) -> Any:
    """Pass a gradient through the hooks of output `index`, in order of registration; then it may be retained."""
    for number, hook in list(hooks.tensor.values()):
        if number == index and (new := hook(grad)) is not None:
            grad = unmarked(replaced(hook, new, grad))
    for number, keep in list(hooks.retained.values()):
        if number == index and grad is not None:
            keep(grad)
    return grad


def run_output_hooks(node: Any, grad: Any) -> Any:
    if node.output_count == 1:
        return run_tensor_hooks(node.hooks, grad)
    return [run_tensor_hooks(node.hooks, g, i) for i, g in enumerate(grad)]


def run_pre_hooks(node: Any, grad: Any) -> Any:
    grad = run_output_hooks(node, grad)
    value = (grad,) if node.output_count == 1 else tuple(grad)
    for hook in list(node.hooks.pre.values()):
        if (new := hook(value)) is not None:
            value = all_replaced(hook, new, value)
    return value[0] if node.output_count == 1 else list(value)


def run_post_hooks(node: Any, grads: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
    value = (grad,) if node.output_count == 1 else tuple(grad)
    for hook in list(node.hooks.post.values()):
        if (new := hook(grads, value)) is not None:
            grads = all_replaced(hook, new, grads)
    return grads


def run_accumulated_hooks(leaf: Any, hooks: Hooks, grad: Any) -> None:
    """Call the hooks of a leaf after a gradient was added to its `.grad`: its own, then those of its AccumulateGrad."""
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
    """A hook's return value, checked: it must have the type, dtype and shape of the gradient."""
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
    if not isinstance(new, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type_name(new)}'")
    if len(new) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(new)}, but expected {len(old)})"
        )
    return tuple([None if n is None else replaced(hook, n, o) for n, o in zip(new, old, strict=True)])


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
_MARK = "__torch_unserializable__"


def unserializable_hook(f: AnyFunction) -> AnyFunction:
    """Mark a hook as one that is left behind on purpose, so that nobody is warned of it.

    Args:
        f: the hook.

    Returns:
        The hook itself.
    """
    setattr(f, _MARK, True)
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook of a leaf that is not marked by `unserializable_hook`.

    Args:
        tensor: what is to be saved.
    """
    hooks = tensor._hooks
    for _, hook in () if hooks is None else list(hooks.tensor.values()):
        if not hasattr(hook, _MARK):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized. If this is expected, you can decorate the "
                "function with @specgrad.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
