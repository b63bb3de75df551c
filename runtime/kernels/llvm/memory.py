"""Memory as native code sees it: words of 64 bits at addresses, and calls of kernels whose address is known."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from ...pool.layout import CALL_INTEGERS, CALL_NUMBERS
from ..compile.compiler_pipelines import Inner

Word = types.intp
WORD = ir.IntType(64)
BYTES = ir.IntType(8).as_pointer()
MOST_ARRAYS = 8  # that one kernel takes, the results among them
MOST_NUMBERS = 4
MOST_INTS = 8
FIRST_SIZE = 2 * MOST_ARRAYS + MOST_NUMBERS  # where the first array's number of elements stands among a call's words
CALL_WORDS = FIRST_SIZE + MOST_ARRAYS


def word_at(builder: Any, address: Any, distance: Any, kind: Any = WORD) -> Any:
    return builder.inttoptr(builder.add(address, distance), kind.as_pointer())


@intrinsic
def load(context: Any, address: Any, distance: Any) -> Any:
    """The word at a distance in bytes from an address."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(word_at(builder, args[0], args[1]))

    return Word(Word, Word), build


@intrinsic
def load_half(context: Any, address: Any) -> Any:
    """The four bytes at an address, as a word."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(builder.load(word_at(builder, args[0], WORD(0), ir.IntType(32))), WORD)

    return Word(Word), build


@intrinsic
def store(context: Any, address: Any, distance: Any, word: Any) -> Any:
    """Write a word at a distance in bytes from an address."""

    def build(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], word_at(builder, args[0], args[1], WORD))
        return target.get_dummy_value()

    return types.void(Word, Word, Word), build


@intrinsic
def bits(context: Any, number: Any) -> Any:
    """The word with the bits of a float64."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], WORD)

    return Word(types.float64), build


@intrinsic(prefer_literal=True)
def frame(context: Any, count: Any) -> Any:
    """The address of `count` words that are there until the function returns."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = cgutils.alloca_once(builder, WORD, size=count.literal_value)
        return builder.ptrtoint(words, WORD)

    return Word(count), build


@intrinsic(prefer_literal=True)
def call_kernel(context: Any, kernel: Any, arrays: Any, size: Any, words: Any) -> Any:
    """Call a compiled kernel of so many flat arrays of `size` elements; it returns nothing and raises nothing.

    `words` holds the arrays' addresses, then the sizes of their elements, then numbers: float64, or float32 in the
    lower half of a word. numba passes an array as seven words, and a number in one of the registers for floating-point
    numbers, of which a kernel reads as many as it has: so one call fits all that take as many arrays.
    """
    count = arrays.literal_value

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        address, _, elements, first = args
        null = BYTES(None)
        given: list[Any] = [cgutils.alloca_once(builder, BYTES), cgutils.alloca_once(builder, BYTES)]
        for i in range(count):
            memory = builder.load(word_at(builder, first, WORD(8 * i), BYTES))
            itemsize = builder.load(word_at(builder, first, WORD(8 * (MOST_ARRAYS + i)), WORD))
            given += [null, null, elements, itemsize, memory, elements, itemsize]
        for i in range(MOST_NUMBERS):
            place = WORD(8 * (2 * MOST_ARRAYS + i))
            given.append(builder.load(word_at(builder, first, place, ir.DoubleType())))
        kind = ir.FunctionType(ir.IntType(32), [value.type for value in given])
        builder.call(builder.inttoptr(address, kind.as_pointer()), given)
        return BYTES(None)

    return types.void(Word, arrays, Word, Word), build


@intrinsic(prefer_literal=True)
def call_structured(context: Any, kernel: Any, arrays: Any, words: Any, constants: Any) -> Any:
    """Call a compiled kernel of so many flat arrays, then ints, then numbers; 0 where it raised nothing.

    `words` holds the arrays' addresses, the sizes of their elements, and behind the numbers how many these are;
    `constants` the ints and the numbers.
    """
    count = arrays.literal_value

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        address, _, first, constants = args
        null = BYTES(None)
        given: list[Any] = [cgutils.alloca_once(builder, BYTES), cgutils.alloca_once(builder, BYTES)]
        for i in range(count):
            memory = builder.load(word_at(builder, first, WORD(8 * i), BYTES))
            itemsize = builder.load(word_at(builder, first, WORD(8 * (MOST_ARRAYS + i))))
            elements = builder.load(word_at(builder, first, WORD(8 * (FIRST_SIZE + i))))
            given += [null, null, elements, itemsize, memory, elements, itemsize]
        given += [builder.load(word_at(builder, constants, WORD(8 * i))) for i in range(MOST_INTS)]
        for i in range(MOST_INTS, MOST_INTS + MOST_NUMBERS):
            given.append(builder.load(word_at(builder, constants, WORD(8 * i), ir.DoubleType())))
        kind = ir.FunctionType(ir.IntType(32), [value.type for value in given])
        return builder.sext(builder.call(builder.inttoptr(address, kind.as_pointer()), given), WORD)

    return Word(Word, arrays, Word, Word), build


@intrinsic
def call_native(context: Any, function: Any, first: Any, second: Any, third: Any) -> Any:
    """Call a compiled native function, of which all take three words and give one."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(WORD, [WORD] * 3)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return Word(Word, Word, Word, Word), build


@intrinsic
def call_any(context: Any, kernel: Any, integers: Any, numbers: Any) -> Any:
    """Call a compiled kernel of any arguments, as `workers.words_of` writes them; 0 where it raised nothing.

    Integers, and the words of arrays, stand at one address, floating-point numbers at another. A kernel has its
    arguments of either kind in their order, in registers and then on the stack, and reads as many as it has.
    """

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        given: list[Any] = [cgutils.alloca_once(builder, BYTES), cgutils.alloca_once(builder, BYTES)]
        given += [builder.load(word_at(builder, args[1], WORD(8 * i))) for i in range(CALL_INTEGERS)]
        given += [builder.load(word_at(builder, args[2], WORD(8 * i), ir.DoubleType())) for i in range(CALL_NUMBERS)]
        kind = ir.FunctionType(ir.IntType(32), [value.type for value in given])
        return builder.sext(builder.call(builder.inttoptr(args[0], kind.as_pointer()), given), WORD)

    return Word(Word, Word, Word), build


def native(function: Any) -> Any:
    """Compile a function that is called from its like alone: once, whether its arguments are constants or not."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy", "fastmath": False}
    compiled = njit(**options, pipeline_class=Inner)(function)
    for_types = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: for_types([types.unliteral(kind) for kind in args], kws)
    return compiled
