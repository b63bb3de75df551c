"""What native code looks up for tensors of devices, and who launches: written down after each launch of Python's."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...cuda import allocator, current
from ...cuda.array import DeviceArray
from ...cuda.driver import driver
from ...cuda.graphs.captures import underway
from ...cuda.launch import Launched, dtype_of, reach
from ...cuda.statistics import Counting
from ...tensor.base import TensorBase
from ...tensor.devices import CPU
from ..builtins import builtin, compiled, method
from ..interned import device_words
from . import entering, forward, gradients, memory
from .launches import ADDRESS, DOUBLE, INTEGER, MOST_OPERANDS, MOST_RESULTS, MOST_WORDS, SINGLE, UNREAD, Launch
from .layout import distances

MASK = 2**64 - 1  # numbers are given as bits, with and without a sign
MOST = 4096  # launches of one kernel; then it forgets all of them
PATCHED = {np.dtype(np.float32): SINGLE, np.dtype(np.float64): DOUBLE, np.dtype(np.int64): INTEGER}
_numbers: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # of drivers
_next = itertools.count(1)


class Devices:
    """Launches for native code, which is registered for devices when this is made."""

    def __init__(self) -> None:
        empty = np.zeros(1, np.int64)
        more = distances()
        self._enter = builtin(entering.enter, empty, "Launches of this thread are for a device and a stream.", more)
        self._leave = builtin(entering.leave, empty, "No thread launches.", more)
        Counting.given = builtin(memory.given, empty, "Count a block that is given out.", more)
        Counting.returned = builtin(memory.returned, empty, "Count a block that came back.", more)
        allocator.Block.__del__ = method(  # type: ignore[method-assign]
            memory.give, allocator.Block, "__del__", "The memory is free again.", more
        )
        current.Changes.told = self._leave
        functions = (forward.launch_on_device, forward.launch_in_place_on_device, gradients.gradients_on_device)
        device_words[:] = [compiled(function, more).address for function in functions]
        os.register_at_fork(after_in_child=self._leave)

    def enter(self, device: Any) -> None:
        """This thread has launched something on a device, which it may do natively from now on, but for captures."""
        if underway:
            return
        found = driver()
        number = _numbers.get(found)
        if number is None:
            number = _numbers[found] = next(_next)
        stream = current.current_stream(device.index)
        self._enter(device, stream, found.launch_handle(stream), number, found.launch_entry())

    def remember(
        self,
        found: dict[Any, Any],
        key: tuple[Any, ...],
        launches: Sequence[Launched],
        operands: Sequence[Any],
        outs: Sequence[DeviceArray],
        result: tuple[Any, Any],
    ) -> None:
        """Keep a launch under a key.

        Args:
            found: the launches of a kernel.
            key: the layouts, as native code makes it.
            launches: what Python launched for it: nothing is kept of several.
            operands: tensors and numbers, as native code gets them.
            outs: the results.
            result: shape and dtype of a result.
        """
        if len(launches) != 1 or underway or not driver().launch_entry():
            return
        plan = self._launch(launches[0], operands, outs, result[0])
        if plan is not None:
            if len(found) >= MOST:
                found.clear()
            out = outs[0]
            block = out.block
            stored = (out.size,), out.size, out.dtype, block.size, block.shelf, block.shelf.stream
            found[key] = (
                plan,
                *result,
                *stored,
                [given.stored for given in launches[0].given if isinstance(given, DeviceArray)],
            )

    def _launch(
        self, made: Launched, operands: Sequence[Any], outs: Sequence[DeviceArray], shape: Any
    ) -> np.ndarray | None:
        """The words of a launch for native code; None where it has no room for them, or something cannot be patched."""
        stream = current.current_stream(outs[0].device.index)
        fits = len(operands) <= MOST_OPERANDS and len(outs) <= MOST_RESULTS and len(made.words) <= MOST_WORDS
        plain = all(
            out.dtype == out.stored and out.address == made.words[k]
            for out, k in zip(outs, made.places[len(operands) :], strict=True)
        )
        patched = [operand_words(*both) for both in zip(operands, made.given, strict=False)]
        if not fits or not plain or None in patched:
            return None
        kinds, itemsizes, reaches, stored = zip(*patched, strict=True)
        return Launch.pack(
            driver=_numbers[driver()],
            stream=stream,
            function=made.function,
            blocks=made.blocks,
            threads=made.threads,
            count=len(made.words),
            broadcasts=any(isinstance(t, TensorBase) and t._shape != shape for t in operands),
            kinds=kinds,
            places=made.places[: len(operands)],
            itemsize=itemsizes,
            reach=reaches,
            stored=stored,
            results=made.places[len(operands) :],
            words=np.array([word & MASK for word in made.words], np.uint64),
        )


def operand_words(operand: Any, given: Any) -> tuple[int, int, int, int] | None:
    """What a call changes of an operand: kind, bytes of an element, elements from the first to the last, and the
    address of the dtype in memory; None where it cannot be changed.

    `operand` is what the call has, `given` what the kernel got for it.
    """
    if isinstance(given, DeviceArray):
        return ADDRESS, given.itemsize, reach(given), id(given.stored)
    if isinstance(operand, TensorBase) and operand._device is not CPU:
        return UNREAD, 0, 0, 0
    if operand.__class__ not in (int, float) and not isinstance(operand, TensorBase):
        return None
    kind = PATCHED.get(dtype_of(given))
    return None if kind is None else (kind, 0, 0, 0)
