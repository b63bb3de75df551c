"""`allow_mutation_on_saved_tensors`: a saved tensor that is written to keeps the value that it had when it was saved.

What is saved shares the memory of the tensor until an op is about to write there; only then is it copied.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import InplaceError
from ...modes.grad_mode import no_grad
from ...modes.intercept import NOT_HANDLED, OpCall, Watcher, watch
from ...tensor.devices import CPU
from .access import outside
from .hooks import saved_tensors_hooks
from .saved import version_of

_MUTATION = "mutation of saved tensors"
_INNERMOST = 1000  # after batching: what is written to is then an ordinary tensor
_allowed: list[Mutation] = []  # the context in force


class SavedTensor:
    __slots__ = ("__weakref__", "tensor", "version")

    def __init__(self, tensor: Any) -> None:
        self.tensor = outside(tensor)
        self.version = version_of(tensor)

    def copy(self) -> None:
        with no_grad():
            self.tensor, self.version = self.tensor.clone(), 0


class Mutation:
    """The tensors that were saved in one `allow_mutation_on_saved_tensors` block, by memory."""

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
    """Say that something else than an op is about to write to a tensor."""
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
