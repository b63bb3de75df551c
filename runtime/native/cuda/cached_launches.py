"""What native code looks up for tensors of devices, and who launches: written down after launches of Python's."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...compiler.language.call_abi import Extents
from ...compiler.native_unit import Unit
from ...device.cuda import allocator, current
from ...device.cuda.array import DeviceArray
from ...device.cuda.driver import chosen
from ...device.cuda.graph_capture import underway
from ...device.cuda.math_modes import MathModes, math_modes
from ...device.cuda.memory_stats import Counting
from ...device.device import CPU
from ...kernels.cuda_launch.launch import Called, Launched, dtype_of, read_extent
from ...tensor.tensor import TensorBase
from ..objects.interned import device_slots
from ..plans.builtins import builtin, method, ready, version
from . import elementwise, elementwise_gradient, kernel_ops, layout, memory
from .launch import (
    ADDRESS,
    DOUBLE,
    INTEGER,
    MAX_BLOCKS,
    MAX_OPERANDS,
    MAX_OWNED,
    MAX_PATCHES,
    MAX_RESULTS,
    MAX_SLOTS,
    NO_RESULT,
    OF_RESULT,
    SINGLE,
    SLOTS_SOURCE,
    UNREAD,
    Launch,
    LaunchPlan,
)
from .layout import distances

MASK = 2**64 - 1  # numbers are given as bits, with and without a sign
PATCHED = {np.dtype(np.float32): SINGLE, np.dtype(np.float64): DOUBLE, np.dtype(np.int64): INTEGER}
FUNCTIONS = (
    elementwise.launch_on_device,
    elementwise.launch_inplace_on_device,
    elementwise_gradient.gradients_on_device,
    kernel_ops.launch_on_device,
    kernel_ops.gradients_on_device,
)
UNIT = Unit(
    "devices",
    (*FUNCTIONS, layout.enter, layout.leave, memory.given, memory.returned, memory.give),
    lambda: (version(), distances()),
    ready,
)
_numbers: WeakKeyDictionary[Any, dict[Any, int]] = WeakKeyDictionary()  # of drivers, by the switches in use
_next = itertools.count(1)


Result = tuple[DeviceArray, Any, Any]


class NotRepeatable(Exception):
    """Something that was launched cannot be launched again with other operands."""


class Operand(NamedTuple):
    kind: int
    address: int = 0
    itemsize: int = 0
    read_extent: int = 0
    stored: int = 0  # the address of NumPy's dtype


class Devices:
    """Registered for devices when this is made."""

    def __init__(self) -> None:
        empty = np.zeros(1, np.int64)
        self._enter = builtin(UNIT, layout.enter, empty, "Launches of this thread are for a device and a stream.")
        self._leave = builtin(UNIT, layout.leave, empty, "No thread launches.")
        Counting.allocated = builtin(UNIT, memory.given, empty, "Count a block that is given out.")
        Counting.returned = builtin(UNIT, memory.returned, empty, "Count a block that came back.")
        allocator.Block.__del__ = method(  # type: ignore[method-assign]
            UNIT, memory.give, allocator.Block, "__del__", "The memory is free again."
        )
        current.Changes.notify = MathModes.notify = self._leave
        device_slots[:] = [UNIT.address(function) for function in FUNCTIONS]
        os.register_at_fork(after_in_child=self._leave)

    def enter(self, device: Any) -> None:
        """This thread has launched something on a device, which it may do natively from now on, but for captures."""
        if underway:
            return
        result, stream = chosen(), current.current_stream(device.index)
        self._enter(device, stream, result.launch_handle(stream), number_of(result), result.launch_entry())

    @property
    def recording(self) -> bool:
        return bool(underway)

    def holds(self, result: tuple[Any, ...], device: Any) -> bool:
        driver, stream = result[0][: LaunchPlan.word("stream") + 1]
        return bool(driver == number_of(chosen()) and stream == current.current_stream(device.index))

    def cache_entry(
        self,
        launches: Sequence[Launched | Called],
        operands: Sequence[Any],
        arrays: Sequence[Any],
        results: Sequence[Result | None],
        blocks: Sequence[Any],
        arguments: Sequence[Any] = (),
        in_order: bool = False,
        slot_values: Sequence[Any] = (),
        constants: Sequence[DeviceArray] = (),
    ) -> tuple[Any, ...] | None:
        """What native code looks up for a call; None where it cannot launch it.

        `arrays` stand for the operands in launches; `results` are (array, shape, dtype), None for a gradient that is
        not wanted; `in_order`: a launch takes the operands in their order, so that several may be one tensor;
        `slot_values`: for bad indices, which launches were given; `constants`: arrays that are the same each time."""
        if not launches or underway or not chosen().launch_entry():
            return None
        known = [operand_of(*both) for both in zip(operands, arrays, strict=True)]
        try:
            plan = plan_slots(launches, operands, Sources(known, blocks, in_order, slot_values, constants), results)
        except NotRepeatable:
            return None
        size_classes = [part for block in blocks for part in (block.size, block.size_class)]
        made = [part for result in results for part in parts_of_result(result)]
        retained = [*[array.stored for array in arrays if isinstance(array, DeviceArray)], *slot_values, *constants]
        retained += [made.retained for made in launches if isinstance(made, Called)]
        return (plan, current.current_stream(result_position(results)), *size_classes, *made, *arguments, retained)


def number_of(driver: Any) -> int:
    """The number of a driver, which has its own functions, and of the switches on which it depends what is launched."""
    known, modes = _numbers.setdefault(driver, {}), math_modes.all()
    if modes not in known:
        known[modes] = next(_next)
    return known[modes]


def parts_of_result(result: Result | None) -> tuple[Any, ...]:
    if result is None:
        return (None,) * OF_RESULT
    array, shape, dtype = result
    return shape, dtype, (array.size,), array.size, array.dtype


def result_position(results: Sequence[Result | None]) -> int:
    number: int = next(result for result in results if result is not None)[0].device.index
    return number


def operand_of(operand: Any, array: Any) -> Operand:
    """What is no array, and no number that a call could change, is UNREAD."""
    if isinstance(array, DeviceArray):
        return Operand(ADDRESS, array.address, array.itemsize, read_extent(array), id(array.stored))
    if isinstance(operand, TensorBase) and operand._device is not CPU:
        return Operand(UNREAD)
    if array is None or (operand.__class__ not in (int, float) and not isinstance(operand, TensorBase)):
        return Operand(UNREAD)
    return Operand(PATCHED.get(dtype_of(array), UNREAD))


def plan_slots(
    launches: Sequence[Launched | Called], operands: Sequence[Any], sources: Sources, results: Sequence[Result | None]
) -> np.ndarray:
    """NotRepeatable: native code has no room for it, or cannot tell what a word stands for."""
    known, shape = sources.known, next(result for result in results if result is not None)[1]
    require(len(results) <= MAX_RESULTS)
    steps = [
        call_slots(made, sources) if isinstance(made, Called) else launch_slots(made, sources) for made in launches
    ]
    positions = [*map(sources.block_of, results), *[NO_RESULT] * (MAX_RESULTS - len(results))]
    made = {MAX_OPERANDS + position for position in positions if position != NO_RESULT}
    require(sources.used >= made)  # else who has filled it?
    head = LaunchPlan.pack(
        driver=number_of(chosen()),
        stream=current.current_stream(result_position(results)),
        noted=sources.noted,
        broadcasts=any(isinstance(t, TensorBase) and t._shape != shape for t in operands),
        blocks=len(sources.blocks),
        results=positions,
        kinds=[operand.kind for operand in known],
        itemsize=[operand.itemsize for operand in known],
        read_extent=[operand.read_extent for operand in known],
        stored=[operand.stored for operand in known],
        odd=sources.odd,
        launches=len(launches),
    )[: LaunchPlan.word("steps")]
    return np.concatenate([head, *steps])


def require(fits: bool) -> None:
    if not fits:
        raise NotRepeatable


class Sources:
    """The operands and blocks of a call: which of them an array or a number of a launch is."""

    def __init__(
        self,
        known: Sequence[Operand],
        blocks: Sequence[Any],
        in_order: bool,
        slot_values: Sequence[Any] = (),
        constants: Sequence[DeviceArray] = (),
    ) -> None:
        arrays = sum(operand.kind == ADDRESS for operand in known)
        require(len(known) <= MAX_OPERANDS and len(blocks) <= MAX_BLOCKS and arrays + len(blocks) <= MAX_OWNED)
        require(len(slot_values) <= 1)
        self.noted = slot_values[0].state.ctypes.data if slot_values else 0
        self.same = [block_span(array.block) for array in (*[word.array for word in slot_values], *constants)]
        self.known, self.blocks, self.in_order = known, blocks, in_order
        self.spans = [  # source, first address and the address behind the last element
            *((i, o.address, o.address + o.read_extent * o.itemsize) for i, o in enumerate(known) if o.kind == ADDRESS),
            *((MAX_OPERANDS + i, *block_span(block)) for i, block in enumerate(blocks)),
        ]
        self.used: set[int] = set()
        self.odd = [0] * len(known)  # bits that addresses of operands must not have

    def block_of(self, result: Result | None) -> int:
        """The number of the block that a result fills from its beginning on; NO_RESULT for none, or no new one."""
        if result is None or not self.blocks:
            return NO_RESULT
        array = result[0]
        value = self.of_address(array.address)
        if value is None:
            raise NotRepeatable
        source, offset = value
        plain = array.strides is None and array.stored == array.dtype
        require(source >= MAX_OPERANDS and offset == 0 and plain)
        return source - MAX_OPERANDS

    def of_address(self, address: int) -> tuple[int, int] | None:
        """The source whose memory an address is in, and how many bytes behind its first; None for what stays so."""
        if any(first <= address < end for first, end in self.same):
            return None
        matches = [(source, address - first) for source, first, end in self.spans if first <= address < end]
        require(len(matches) == 1)  # none, or operands that share memory
        return matches[0]

    def aligned(self, address: int, alignment: int) -> tuple[int, int] | None:
        result = self.of_address(address)
        if result is None:
            return None
        source, offset = result
        require(offset % alignment == 0)
        if source < MAX_OPERANDS:
            self.odd[source] |= alignment - 1
        return source, offset

    def of(self, k: int, value: Any, address: int) -> tuple[int, int] | None:
        """The source of the k-th array or number of a launch, and bytes behind it; None for what stays the same."""
        own = self.known[k] if self.in_order and k < len(self.known) else None
        if isinstance(value, DeviceArray):
            if not value.size:
                return None
            return (k, 0) if own is not None and own.address == address else self.of_address(address)
        return (k, 0) if own is not None and own.kind in PATCHED.values() else None


def block_span(block: Any) -> tuple[int, int]:
    return block.address, block.address + max(block.size, 1)


def launch_slots(made: Launched, sources: Sources) -> np.ndarray:
    patches = []
    for k, (position, value) in enumerate(zip(made.positions, made.kernel_args, strict=True)):
        source = sources.of(k, value, made.slot_values[position] if position < len(made.slot_values) else 0)
        if source is not None:
            patches.append((position, *source))
    extents = Extents.pack(grid=made.grid, block=made.block, shared=made.shared)
    return packed(made.function, extents, made.slot_values, patches, sources)


def call_slots(made: Called, sources: Sources) -> np.ndarray:
    matches = [(position, sources.aligned(made.slot_values[position], made.aligned)) for position in made.memory]
    patches = [(position, *source) for position, source in matches if source is not None]
    patches += [(position, SLOTS_SOURCE, 8 * of) for position, of in made.inside]
    return packed(made.function, None, made.slot_values, patches, sources)


def packed(
    function: int,
    extents: np.ndarray | None,
    slot_values: Sequence[int],
    patches: Sequence[tuple[int, int, int]],
    sources: Sources,
) -> np.ndarray:
    require(0 < len(patches) <= MAX_PATCHES and len(slot_values) <= MAX_SLOTS)
    positions, which, offsets = zip(*patches, strict=True)
    sources.used.update(which)
    return Launch.pack(
        function=function,
        called=extents is None,
        extents=Extents.pack() if extents is None else extents,
        count=len(slot_values),
        patches=len(patches),
        positions=positions,
        sources=which,
        offsets=offsets,
        slot_values=np.array([word & MASK for word in slot_values], np.uint64),
    )
