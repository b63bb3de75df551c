"""Calls of compiled kernels by their addresses. numba passes a flat array as seven words, ints as words, and numbers in
registers, of which a kernel reads as many as it has: so one call fits all kernels that take as many arrays. A frame
owns no memory: who calls owns each array until the kernel has returned."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from .functions import HALF, WORD, Nothing, Word, c_function, instruction, native, on_stack, word_at
from .structs import CALL_INTEGERS, CALL_NUMBERS, Items, Struct, at, capacity, fields, length
from .types import NUMBER, VOID, Address

BYTES = ir.IntType(8).as_pointer()
MAX_ARRAYS = 14  # that one kernel takes, results and tables among them
MAX_NUMBERS = 4
MAX_INTS = 14
MAX_ARGUMENTS = 16  # of a function of another library


class CallFrame(Struct):
    """The arrays and numbers of one call."""

    memory: Items[int] = capacity(MAX_ARRAYS)  # the arrays' addresses
    itemsize: Items[int] = capacity(
        MAX_ARRAYS
    )  # 0: the array stands for as many elements as there are, see pool/turning
    numbers: Items[int] = capacity(MAX_NUMBERS)  # the bits of float64, or of float32 in the lower half
    size: Items[int] = capacity(MAX_ARRAYS)  # how many elements; not read where all arrays are of one size


class Constants(Struct):
    """The ints and numbers of a call that are the same each time."""

    ints: Items[int] = capacity(MAX_INTS)
    numbers: Items[int] = capacity(MAX_NUMBERS)


class Walk(Struct):
    """Where something begins, and how many bytes it steps from row to row."""

    start: int
    step: int


class RowCall(Struct):
    """A call of a kernel's entry for rows: see compiler/passes/strided_entry.py."""

    size: int  # elements of a row
    rows: int
    arrays: Items[Walk] = capacity(MAX_ARRAYS)
    numbers: Items[Walk] = capacity(MAX_NUMBERS)  # each as wide in memory as the kernel takes it


class FlatArray(Struct):
    """A flat array as numba passes it."""

    owner: int
    parent: int
    size: int
    itemsize: int
    memory: int
    shape: int
    stride: int


class CallSlots(Struct):
    """The integers of a call of any kernel, arrays among them."""

    integers: Items[int] = capacity(CALL_INTEGERS)
    arrays: Items[FlatArray] = at(0, CALL_INTEGERS // 7)  # where arrays come first


@native
def put_array(frame: CallFrame, index: int, memory: int, itemsize: int) -> None:
    frame.memory[index] = memory
    frame.itemsize[index] = itemsize


@native
def write_array_slots(array: FlatArray, memory: int, itemsize: int, size: int) -> None:
    array.owner = 0
    array.parent = 0
    array.size = size
    array.itemsize = itemsize
    array.memory = memory
    array.shape = size
    array.stride = itemsize


def _item(builder: Any, struct: Any, name: str, i: int, kind: Any = WORD) -> Any:
    return builder.load(word_at(builder, struct, WORD(fields(CallFrame)[name].distance + 8 * i), kind))


def _names(builder: Any, address: Any, first: int, count: int, kind: Any = WORD) -> list[Any]:
    return [builder.load(word_at(builder, address, WORD(8 * (first + i)), kind)) for i in range(count)]


def _arrays(builder: Any, frame: Any, count: int, size: Any) -> list[Any]:
    null = BYTES(None)
    args = [on_stack(builder, BYTES), on_stack(builder, BYTES)]
    for i in range(count):
        elements = _item(builder, frame, "size", i) if size is None else size
        itemsize, memory = _item(builder, frame, "itemsize", i), _item(builder, frame, "memory", i, BYTES)
        # No owner and no parent: the kernel counts no references, and its caller keeps the array.
        args += [null, null, elements, itemsize, memory, elements, itemsize]
    return args


def _call(builder: Any, kernel: Any, args: list[Any]) -> Any:
    kind = ir.FunctionType(HALF, [value.type for value in args])
    return builder.call(builder.inttoptr(kernel, kind.as_pointer()), args)


def _by_count(builder: Any, arrays: Any, call: Any) -> Any:
    """The status of `call(count)` for the number of arrays: a switch over 1 .. MAX_ARRAYS; else the process ends."""
    status, done = on_stack(builder, HALF), builder.append_basic_block("done")
    wrong = builder.append_basic_block("too many arrays")
    switch = builder.switch(arrays, wrong)
    for count in range(1, MAX_ARRAYS + 1):
        block = builder.append_basic_block(f"of {count}")
        switch.add_case(WORD(count), block)
        with builder.goto_block(block):
            builder.store(call(count), status)
            builder.branch(done)
    with builder.goto_block(wrong):
        builder.call(c_function(builder, "abort", VOID, []), [])
        builder.unreachable()
    builder.position_at_end(done)
    return builder.sext(builder.load(status), WORD)


@instruction(Word, Word, Word, Word, Address(CallFrame))
def call_elementwise(builder: Any, kernel: Any, arrays: Any, size: Any, frame: Any) -> Any:
    """call_elementwise(kernel, arrays, size, frame): of so many arrays of `size` elements, and numbers."""
    numbers = [_item(builder, frame, "numbers", i, NUMBER) for i in range(MAX_NUMBERS)]
    return _by_count(
        builder, arrays, lambda count: _call(builder, kernel, [*_arrays(builder, frame, count, size), *numbers])
    )


@instruction(Word, Word, Word, Address(CallFrame), Address(Constants))
def call_with_constants(builder: Any, kernel: Any, arrays: Any, frame: Any, constants: Any) -> Any:
    """Of arrays of their own sizes, then ints, then numbers; 0 where it raised nothing."""
    ints = _names(builder, constants, 0, MAX_INTS)
    behind = [*ints, *_names(builder, constants, MAX_INTS, MAX_NUMBERS, NUMBER)]
    return _by_count(
        builder, arrays, lambda count: _call(builder, kernel, [*_arrays(builder, frame, count, None), *behind])
    )


@instruction(Word, Word, None, None)
def call_any(builder: Any, kernel: Any, integers: Any, numbers: Any) -> Any:
    """call_any(kernel, integers, numbers): of any arguments, 0 where it raised nothing. Integers, and the words of
    arrays, stand at one address, floating-point numbers at another; a kernel reads as many as it has."""
    stack_slots = [on_stack(builder, BYTES), on_stack(builder, BYTES)]
    value = _names(builder, integers, 0, CALL_INTEGERS) + _names(builder, numbers, 0, CALL_NUMBERS, NUMBER)
    return builder.sext(_call(builder, kernel, [*stack_slots, *value]), WORD)


@instruction(Word, Word, None, None, None)
def call_native(builder: Any, function: Any, *args: Any) -> Any:
    """call_native(function, first, second, third): all take three words and give one."""
    kind = ir.FunctionType(WORD, [WORD] * 3)
    return builder.call(builder.inttoptr(function, kind.as_pointer()), args)


class Extents(Struct):
    """How many blocks of threads a launch has, of how many threads each, and the bytes of memory that these share."""

    grid: Items[int] = capacity(3)
    block: Items[int] = capacity(3)
    shared: int


@instruction(Word, Word, Word, Address(Extents), Word, None)
def call_launch(builder: Any, entry: Any, function: Any, extents: Any, stream: Any, parameters: Any) -> Any:
    """call_launch(entry, function, extents, stream, parameters): cuLaunchKernel, by its address; its status."""
    sizes = [builder.trunc(size, HALF) for size in _names(builder, extents, 0, length(Extents))]
    return builder.sext(_call(builder, entry, [function, *sizes, stream, parameters, WORD(0)]), WORD)


@instruction(Nothing, Word, Address(RowCall))
def call_rows(builder: Any, entry: Any, call: Any) -> Any:
    kind = ir.FunctionType(VOID, [WORD.as_pointer()])
    return builder.call(builder.inttoptr(entry, kind.as_pointer()), [builder.inttoptr(call, WORD.as_pointer())])


@instruction(Word, Word, None)
def call_slots(builder: Any, function: Any, slot_values: Any) -> Any:
    """A function of C of whole numbers and addresses, given as many words as any has parameters; its status."""
    return builder.sext(_call(builder, function, _names(builder, slot_values, 0, MAX_ARGUMENTS)), WORD)
