"""Memory as native code sees it: words of 64 bits at addresses, and the calling convention of compiled kernels.

A kernel of numba's is a C function of two pointers for its result and its error, then its arguments: seven words for an
array, a register for a number. An address holds no reference: who calls owns every array until the kernel has returned.
"""

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
# The words of a call: addresses of arrays, sizes of their elements, numbers, then how many elements each array has.
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
        # zext, not sext: the upper half of a float32's word is not read, but is the same each time then.
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
    """The address of `count` words on the stack, which are there until the function returns."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        # In the function's entry block: an alloca in a loop would take stack on each round.
        words = cgutils.alloca_once(builder, WORD, size=count.literal_value)
        return builder.ptrtoint(words, WORD)

    return Word(count), build


def _array_words(builder: Any, words: Any, index: int, elements: Any) -> list[Any]:
    """The seven words of array number `index`: owner, its parent, elements, itemsize, memory, shape, stride."""
    memory = builder.load(word_at(builder, words, WORD(8 * index), BYTES))
    itemsize = builder.load(word_at(builder, words, WORD(8 * (MOST_ARRAYS + index))))
    # No owner: the kernel counts no references to memory that belongs to its caller.
    return [BYTES(None), BYTES(None), elements, itemsize, memory, elements, itemsize]


def _call(builder: Any, address: Any, arguments: list[Any]) -> Any:
    """Call a kernel with room for its result and its error; the status that it returns, 0 where it raised nothing."""
    given = [cgutils.alloca_once(builder, BYTES), cgutils.alloca_once(builder, BYTES), *arguments]
    kind = ir.FunctionType(ir.IntType(32), [value.type for value in given])
    return builder.call(builder.inttoptr(address, kind.as_pointer()), given)


@intrinsic(prefer_literal=True)
def call_kernel(context: Any, kernel: Any, arrays: Any, size: Any, words: Any) -> Any:
    """Call a compiled kernel of so many flat arrays of `size` elements; it returns nothing and raises nothing.

    `words` holds the arrays' addresses, then the sizes of their elements, then numbers: float64, or float32 in the
    lower half of a word. Numbers come in registers of their own, of which a kernel reads as many as it has: so one
    call fits all that take as many arrays.
    """
    count = arrays.literal_value

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        address, _, elements, first = args
        given = [word for i in range(count) for word in _array_words(builder, first, i, elements)]
        for i in range(2 * MOST_ARRAYS, 2 * MOST_ARRAYS + MOST_NUMBERS):
            given.append(builder.load(word_at(builder, first, WORD(8 * i), ir.DoubleType())))
        _call(builder, address, given)
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
        given: list[Any] = []
        for i in range(count):
            elements = builder.load(word_at(builder, first, WORD(8 * (FIRST_SIZE + i))))
            given += _array_words(builder, first, i, elements)
        given += [builder.load(word_at(builder, constants, WORD(8 * i))) for i in range(MOST_INTS)]
        for i in range(MOST_INTS, MOST_INTS + MOST_NUMBERS):
            given.append(builder.load(word_at(builder, constants, WORD(8 * i), ir.DoubleType())))
        return builder.sext(_call(builder, address, given), WORD)

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
        given = [builder.load(word_at(builder, args[1], WORD(8 * i))) for i in range(CALL_INTEGERS)]
        given += [builder.load(word_at(builder, args[2], WORD(8 * i), ir.DoubleType())) for i in range(CALL_NUMBERS)]
        return builder.sext(_call(builder, args[0], given), WORD)

    return Word(Word, Word, Word), build


def native(function: Any) -> Any:
    """Compile a function that is called from its like alone: once, whether its arguments are constants or not."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy", "fastmath": False}
    compiled = njit(**options, pipeline_class=Inner)(function)
    # A literal argument would be a type of its own, and the function compiled again for each number.
    for_types = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: for_types([types.unliteral(kind) for kind in args], kws)
    return compiled
