"""Calls of other libraries' functions by their addresses, which native code can make again as it launches kernels."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...kernels.llvm.native_code.kernel_calls import MAX_ARGUMENTS as ARGUMENTS
from .rehearsals import noted

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * ARGUMENTS)


class Called(NamedTuple):
    """A call of a function in C whose parameters are integers and addresses, and whose result is a status.

    Numbers whose addresses are arguments stand behind the arguments. A function's own text is no part of this: whoever
    knows it writes the words.
    """

    function: int
    slot_values: list[int]
    memory: list[int]  # places of the words that are addresses on the device
    aligned: int  # of which each of these is a multiple
    inside: list[tuple[int, int]]  # places of words that are addresses of other words, and the places of those
    retained: Any  # lives as long as this


def performed(made: Called) -> int:
    slot_values = np.array(made.slot_values, np.int64)
    for slot, of in made.inside:
        slot_values[slot] = slot_values.ctypes.data + 8 * of
    status = function_at(made.function)(*slot_values[:ARGUMENTS].tolist())
    if not status:
        noted(made)
    return status


@cache
def function_at(address: int) -> Any:
    return FUNCTION(address)


def arguments(*args: int) -> list[int]:
    return [*args, *[0] * (ARGUMENTS - len(args))]
