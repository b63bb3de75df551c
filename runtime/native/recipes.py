"""Recipes as words that native code reads."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..dispatch.plan import Layout, Recipe, Step
from ..kernels.llvm.memory import MOST_ARRAYS, MOST_INTS, MOST_NUMBERS
from ..pool.layout import CALL_NUMBERS
from ..tensor.shapes import contiguous_strides
from .plans import array_of, kernel_address, memory, number_of, put, resolver
from .recipe_calls import FIRST, MOST_READ, MOST_RESULTS, REACH, STEP, S

_tables: dict[Any, np.ndarray] = {}


def written(
    recipe: Recipe, layouts: Sequence[Any], letters: str, outputs: int, arguments: Sequence[Any]
) -> tuple[Any, ...]:
    """(words, the shape of each result or None, the arguments); operands that are no tensors have no layout."""
    last = max(output for step in recipe for output, _ in step.results)
    words = np.zeros(FIRST // 8 + STEP * len(recipe) + CALL_NUMBERS, np.int64)  # a call reads so many numbers
    words[:2] = len(recipe), max(last + 1, outputs)
    put(words, REACH, *[reach(layout) if isinstance(layout, Layout) else 0 for layout in layouts])
    shapes: list[Any] = [None] * max(last + 1, outputs)
    for i, step in enumerate(recipe):
        put_step(words[FIRST // 8 + STEP * i :], step, letters)
        for output, shape in step.results:
            shapes[output] = shape
    return (words, *shapes, *arguments)


def reach(layout: Layout) -> int:
    """How many elements lie between the first and the last of a tensor, these included."""
    shape, strides = layout
    steps = contiguous_strides(shape) if strides is None else strides
    return 1 + sum((size - 1) * step for size, step in zip(shape, steps, strict=True)) if all(shape) else 0


def put_step(words: np.ndarray, step: Step, letters: str) -> None:
    """One call of a recipe."""
    check_room(step)
    kinds = "".join("I" if letters[i] == "I" else "T" for i in step.operands)
    ints = (*step.ints, 0, step.rows[0]) if step.rows else step.ints
    table = kernel_table(step.kernel, kinds, len(step.results), len(ints), len(step.numbers))
    put(words, S.kernel, table.ctypes.data, len(step.operands))
    put(words, S.which, *step.operands)
    put(words, S.results, len(step.results))
    put(words, S.outputs, *[output for output, _ in step.results])
    put(words, S.sizes, *[prod(shape) for _, shape in step.results])
    put(words, S.extent, *(step.rows or (0, 0)), len(step.ints), step.work)
    put(words, S.ints, *map(int, ints))
    put(words, S.numbers, *np.array(step.numbers, np.float64).view(np.int64))


def check_room(step: Step) -> None:
    """Whether a frame has places for all that a call takes."""
    arrays, ints = len(step.operands) + len(step.results), len(step.ints) + (2 if step.rows else 0)
    fits = arrays <= MOST_ARRAYS and ints <= MOST_INTS and len(step.numbers) <= MOST_NUMBERS
    if not fits or len(step.operands) > MOST_READ or len(step.results) > MOST_RESULTS:
        raise ValueError(f"{step.kernel.__name__}: more arrays, ints or numbers than a recipe has places for: {step}")


def kernel_table(kernel: Any, kinds: str, results: int, ints: int, numbers: int) -> np.ndarray:
    """(the address of what finds its machine code, that for float32, that for float64) of a kernel on flat arrays."""
    key = kernel.__name__, kernel.__module__, kinds
    if key not in _tables:
        table = _tables[key] = np.zeros(3, np.int64)

        def find(kind: int) -> int:
            from numba import types

            arrays = [array_of(3 if letter == "I" else kind) for letter in kinds] + [array_of(kind)] * results
            compiled = kernel.compile() if hasattr(kernel, "function") else kernel
            return kernel_address(compiled, [*arrays, *[types.int64] * ints, *[number_of(1)] * numbers])

        put(table, 0, resolver(table, 8, find))
        memory(table)
    return _tables[key]
