"""Indexed programs on a device: the arrays of a call in rows, and one launch for each text."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ..cpu.indexed_programs import Shape, Sizes
from . import arrays as memory
from .arrays import in_order
from .per_element import run


class Launches:
    """The arrays of one call by name, those that texts make too."""

    def __init__(self, sizes: Sizes, arrays: Mapping[str, DeviceArray]) -> None:
        self.sizes = sizes
        self.first = next(array for array in arrays.values() if array.dtype.kind == "f")
        self.arrays = {name: self._in_rows(name, array) for name, array in arrays.items()}
        self.inputs = set(arrays)

    def _in_rows(self, name: str, array: DeviceArray) -> DeviceArray:
        if self.sizes.step(name) is None:
            array = memory.broadcast(array, (*self.sizes.batch, *self.sizes.core(name)))
        return in_order(array)

    def add(
        self, text: Any, reads: Sequence[str], made: Mapping[str, tuple[Shape, str]], floats: Sequence[float],
        ints: Sequence[int], threads: int,
    ) -> None:  # fmt: skip
        for name, (shape, dtype) in made.items():
            if name not in self.arrays:
                self.arrays[name] = self._made((*self.sizes.batch, *shape), dtype)
        strides = [self._stride(name) for name in reads if name in self.inputs]
        args = [self.arrays[name].ravel() for name in (*reads, *made)]
        total = prod(self.sizes.batch) * threads
        run(text, total, self.first.dtype, *args, *map(float, floats), *map(int, (*ints, *strides)))

    def _stride(self, name: str) -> int:
        """From one example of the batch to the next, of an array that has been expanded where it had to be."""
        step = self.sizes.step(name)
        return prod(self.sizes.core(name)) if step is None else step

    def _made(self, shape: Shape, dtype: str) -> DeviceArray:
        if dtype:
            return memory.empty(shape, np.dtype(dtype), self.first.device)
        return memory.result(self.first, shape)

    def results(self, names: Sequence[str], output_mask: Sequence[bool] = ()) -> Any:
        made = [self.arrays[name] for name in names]
        if output_mask:
            return tuple([array if is_needed else None for array, is_needed in zip(made, output_mask, strict=True)])
        return made[0] if len(made) == 1 else tuple(made)
