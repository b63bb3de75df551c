"""The arguments of a compiled kernel, arrays and numbers, in a buffer of words, and the call.

The buffer holds borrowed addresses and owns no memory: the caller keeps a reference to each array until the kernel has
returned.
"""

from __future__ import annotations

from ..llvm.memory import MOST_ARRAYS, call_kernel, native, store

ARRAY_WORDS = 7  # of a flat array, as numba passes it
ARRAY_SIZE, ARRAY_ITEMSIZE, ARRAY_START, ARRAY_SHAPE, ARRAY_STRIDE = 16, 24, 32, 40, 48


@native
def put_array(words, index, memory, itemsize):
    """Make an array the kernel's argument number `index`."""
    store(words, 8 * index, memory)
    store(words, 8 * (MOST_ARRAYS + index), itemsize)


@native
def put_number(words, index, word):
    """Make a number the kernel's number `index`."""
    store(words, 8 * (2 * MOST_ARRAYS + index), word)


@native
def lay_array(integers, index, memory, itemsize, size):
    """Write a flat array as numba passes it."""
    place = integers + 8 * ARRAY_WORDS * index
    store(place, 0, 0)  # no owner and no parent: the array is borrowed
    store(place, 8, 0)
    store(place, ARRAY_SIZE, size)
    store(place, ARRAY_ITEMSIZE, itemsize)
    store(place, ARRAY_START, memory)
    store(place, ARRAY_SHAPE, size)
    store(place, ARRAY_STRIDE, itemsize)


@native
def call_arrays(kernel, arrays, size, words):
    """The call, by the number of arrays, of which plans.kernel_of lets at most MOST_ARRAYS through."""
    # A C function's type has a fixed number of arguments, so each number is a call of its own.
    if arrays == 1:
        call_kernel(kernel, 1, size, words)
    elif arrays == 2:
        call_kernel(kernel, 2, size, words)
    elif arrays == 3:
        call_kernel(kernel, 3, size, words)
    elif arrays == 4:
        call_kernel(kernel, 4, size, words)
    elif arrays == 5:
        call_kernel(kernel, 5, size, words)
    elif arrays == 6:
        call_kernel(kernel, 6, size, words)
    elif arrays == 7:
        call_kernel(kernel, 7, size, words)
    else:
        call_kernel(kernel, 8, size, words)
