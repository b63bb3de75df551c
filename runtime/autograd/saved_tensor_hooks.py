"""`saved_tensors_hooks`: what nodes save is handed to a pack function and got back through an unpack function.

The innermost pair of hooks applies. A node is packed right after it was recorded, when ops tell watchers of it.
`allow_mutation_on_saved_tensors`: what is saved is copied when an op is about to write to its memory."""

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..device.device import CPU
from ..errors import InplaceError
from ..tensor.grad_mode import mode, no_grad
from ..tensor.history import clear_history, set_history
from ..tensor.observers import NOT_HANDLED, SAVING, OpCall, Watcher, watch
from ..tensor.tensor import TensorBase
from ..thread_state import PerThread
from .graph import check_hooks, outside
from .node import recording_node
from .saved_tensors import NUMBER, Packed, edge_from, edge_of, version_of

_NAME = "saved tensor hooks"


class _Hooks(PerThread):
    """Outermost first; `forbidden`: why there may be none."""

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
    """Replace each tensor in a node's slots by what the hooks make of it."""
    node = recording_node(result) if _hooks.stack and mode.grad else None
    if node is None:
        return
    if node.by_result is not None:
        node.kept_result = None  # nobody writes to an operand that is packed
    for slot in node.saved_slots:
        saved_value = getattr(node, slot)
        if isinstance(saved_value, tuple):  # those of a custom Function were packed when its ctx kept them
            setattr(node, slot, tuple([pack_saved(t) for t in saved_value]))
        elif slot in node.saved_outputs:
            setattr(node, slot, pack_saved(saved_value, edge_from(node, node.saved_outputs[slot])))
        else:
            setattr(node, slot, pack_saved(saved_value))


def pack_saved(saved_value: Any, reference: Any = None) -> Any:
    """The tensor itself, or a `Packed` where hooks are in force; numbers are not packed.

    `reference` is the edge of a saved output: the hook sees the output there; afterwards it is outside the graph, so
    that the node does not hold itself when the hook has kept it."""
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


_MUTATION = "mutation of saved tensors"
_INNERMOST = 1000  # after batching: what is written to is then an ordinary tensor
_allowed: "list[Mutation]" = []  # the context in force


class SavedTensor:
    __slots__ = ("__weakref__", "tensor", "version")

    def __init__(self, tensor: Any) -> None:
        self.tensor = outside(tensor)
        self.version = version_of(tensor)

    def copy(self) -> None:
        with no_grad():
            self.tensor, self.version = self.tensor.clone(), 0


class Mutation:
    """Saved tensors by memory."""

    def __init__(self) -> None:
        self.saved_value: dict[int, weakref.WeakSet[SavedTensor]] = {}

    def pack(self, tensor: Any) -> SavedTensor:
        saved_value = SavedTensor(tensor)
        self.saved_value.setdefault(id(owner_of(tensor)), weakref.WeakSet()).add(saved_value)
        return saved_value

    def unpack(self, saved_value: SavedTensor) -> Any:
        if self not in _allowed:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
                "originally recorded."
            )
        if version_of(saved_value.tensor) != saved_value.version:
            raise InplaceError(
                "a saved tensor was written to by means that allow_mutation_on_saved_tensors() does not see: its "
                f"memory was at version {saved_value.version} and is at version {version_of(saved_value.tensor)}"
            )
        return saved_value.tensor

    def about_to_write(self, tensor: Any) -> None:
        for saved_value in self.saved_value.pop(id(owner_of(tensor)), ()):
            saved_value.copy()

    def intercept(self, call: OpCall) -> Any:
        written = call.kwargs.get("out")
        if written is None and (call.function.__name__.endswith("_") or call.name.partition(".")[0].endswith("_")):
            written = call.args[0]
        for tensor in written if isinstance(written, (list, tuple)) else (written,):
            if tensor is not None:
                self.about_to_write(tensor)
        return NOT_HANDLED


def owner_of(tensor: Any) -> Any:
    """The array that holds the memory of a tensor, one for all tensors over it; it lives as long as one of them."""
    array = tensor._storage
    if tensor._device is not CPU:
        return array.block
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def announce_write(tensor: Any) -> None:
    """Something else than an op is about to write to a tensor."""
    for block in _allowed:
        block.about_to_write(tensor)


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Mutation]:
    """Inside, tensors that were saved for backward may be written to: what was saved is copied before.

    Backward must run inside too.

    Raises:
        RuntimeError: such a block is open already.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> with sg.autograd.graph.allow_mutation_on_saved_tensors():
        ...     y = x.clone()
        ...     z = (y**2).sum()
        ...     y.zero_()
        ...     z.backward()
        tensor([0., 0.], grad_fn=<ZeroBackward0>)
        >>> x.grad
        tensor([2., 4.])
    """
    if _allowed:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    block = Mutation()
    with saved_tensors_hooks(block.pack, block.unpack):
        _allowed.append(block)
        watch.enter(_MUTATION, Watcher(intercept=block.intercept, order=_INNERMOST))
        try:
            yield block
        finally:
            watch.leave(_MUTATION)
            _allowed.remove(block)
            block.saved_value.clear()
