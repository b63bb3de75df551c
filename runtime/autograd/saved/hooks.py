"""`saved_tensors_hooks`: what nodes save is handed to a pack function and got back through an unpack function.

The innermost pair of hooks applies. A node is packed right after it was recorded, when ops tell watchers of it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from ...modes.grad_mode import mode
from ...modes.intercept import SAVING, Watcher, watch
from ...modes.thread_state import PerThread
from ...tensor.base import TensorBase
from ...tensor.history import clear_history, set_history
from ..node import Node, recording_node
from .access import check_hooks
from .packed import Packed
from .saved import NUMBER, edge_from, edge_of

_NAME = "saved tensor hooks"


class _Hooks(PerThread):
    """The pairs of hooks in force in this thread, outermost first, and why there may be none."""

    def __init__(self) -> None:
        self.stack: list[tuple[Callable[..., Any], Callable[..., Any]]] = []
        self.forbidden: str | None = None


_hooks = _Hooks()


class saved_tensors_hooks:
    """Inside, every tensor that an op saves for backward is replaced by what `pack_hook` makes of it.

    Args:
        pack_hook: takes the tensor when it is saved and returns anything; it must not write to the tensor.
        unpack_hook: takes what `pack_hook` returned and returns a tensor of the same values, whenever it is needed.

    Raises:
        TypeError: a hook cannot be called.
        RuntimeError: hooks are disabled by `disable_saved_tensors_hooks`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> with sg.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), sg.tensor):
        ...     y = x.exp()
        >>> y.grad_fn._raw_saved_result.data
        [2.7182817459106445, 7.389056205749512]
        >>> y.sum().backward()
        >>> x.grad
        tensor([2.7183, 7.3891])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        check_hooks("saved_tensors_hooks", self.pack_hook, self.unpack_hook)
        check_allowed()
        _hooks.stack.append((self.pack_hook, self.unpack_hook))
        watch.enter(_NAME, _WATCHER)

    def __exit__(self, *_: object) -> None:
        _hooks.stack.pop()
        watch.leave(_NAME)


def check_allowed() -> None:
    if _hooks.forbidden is not None:
        raise RuntimeError(_hooks.forbidden)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, `saved_tensors_hooks` raises an error.

    Args:
        error_message: the error's text.

    Raises:
        RuntimeError: with this text, at once when hooks are in force already.

    Example:
        >>> import specgrad as sg
        >>> with sg.autograd.graph.disable_saved_tensors_hooks("not here"):
        ...     with sg.autograd.graph.save_on_cpu():
        ...         pass
        Traceback (most recent call last):
        RuntimeError: not here
    """
    before = _hooks.forbidden
    _hooks.forbidden = error_message
    try:
        if _hooks.stack:
            check_allowed()
        yield
    finally:
        _hooks.forbidden = before


class save_on_cpu(saved_tensors_hooks):
    """Inside, what ops save for backward is kept in the host's memory and brought back to its device when needed.

    Args:
        pin_memory: keep it in page-locked memory.
        device_type: the device that tensors come from.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(3.0, requires_grad=True)
        >>> with sg.autograd.graph.save_on_cpu():
        ...     y = x * x
        >>> y.backward()
        >>> x.grad
        tensor(6.)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        self.pin_memory = pin_memory
        self.device_type = device_type
        super().__init__(functools.partial(_to_cpu, pin_memory), _back)  # not its own methods: that were a cycle


def _to_cpu(pin_memory: bool, tensor: Any) -> tuple[Any, Any]:
    saved_value = tensor.cpu()
    return tensor.device, saved_value.pin_memory() if pin_memory else saved_value


def _back(packed: tuple[Any, Any]) -> Any:
    device, tensor = packed
    return tensor.to(device)


def pack_recorded(result: Any) -> None:
    """Pack what the node that made `result` has just saved, where hooks are in force in this thread."""
    node = recording_node(result) if _hooks.stack and mode.grad else None
    if node is not None:
        pack_node(node)


def pack_node(node: Node) -> None:
    """Replace each tensor in a node's slots by what the hooks make of it."""
    for slot in node.saved_slots:
        saved_value = getattr(node, slot)
        if isinstance(saved_value, tuple):  # those of a custom Function were packed when its ctx kept them
            setattr(node, slot, tuple([pack_saved(t) for t in saved_value]))
        elif slot in node.saved_outputs:
            setattr(node, slot, pack_saved(saved_value, edge_from(node, node.saved_outputs[slot])))
        else:
            setattr(node, slot, pack_saved(saved_value))


def pack_saved(saved_value: Any, reference: Any = None) -> Any:
    """The value that a node keeps for a saved tensor: the tensor itself, or a `Packed` where hooks are in force.

    Numbers are not packed. `place` is the edge of a saved output: the hook sees the output there; afterwards it is
    outside the graph, so that the node does not hold itself when the hook has kept it.
    """
    if not (_hooks.stack and isinstance(saved_value, TensorBase)) or saved_value._version_counter is NUMBER:
        return saved_value
    if reference is None:
        return Packed(saved_value, _hooks.stack[-1], edge_of(saved_value))
    set_history(saved_value, reference)
    try:
        return Packed(saved_value, _hooks.stack[-1], None)
    finally:
        clear_history(saved_value)


_WATCHER = Watcher(note=pack_recorded, concern=SAVING)
