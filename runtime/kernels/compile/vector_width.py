"""The whole width of the vector registers for kernels: LLVM uses half of it on many processors that have 512 bits.

It prefers 256 bits where wide registers once lowered the clock, by the processor's name, and does so for all that it
does not know as well. Loops of arithmetic lose up to half of their speed by that, those that wait for memory gain
nothing; on processors that take the halves of such a vector one after the other, those are faster with vectors of 256
bits, which `in_halves` gives them. What is computed of an element is the same in any lane. Sums that a kernel lets LLVM
reorder (`reassoc`) have as many parts as a register has lanes, so their last bits are those of a width, as they have
been.
"""

from __future__ import annotations

from typing import Any

WIDEST = '"prefer-vector-width"="512"'  # of x86-64, where such registers are; no other processor reads it
HALF = WIDEST.replace("512", "256")


def let_be_wide(module: Any) -> None:
    """Let the loops of a module of llvmlite's use the widest vectors that there are."""
    for function in module.functions:
        set.add(function.attributes, WIDEST)  # past llvmlite's list of attributes, which has none of targets


def in_halves(text: str) -> str:
    """The text of a module whose loops wait for memory: with half of that width."""
    return text.replace(WIDEST, HALF)
