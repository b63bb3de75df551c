"""Where the elements of several arrays of one shape lie: as few dims as say it, in parts that 32-bit indices reach."""

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import NamedTuple

from ...device.cuda.array import DeviceArray
from ...shapes import Shape, byte_strides, contiguous_strides

DIMS = 3  # of the kernels that are compiled ahead of time; there are more dims only where merging leaves more
MAX_LAUNCH_ELEMENTS = 1 << 30  # elements of one launch
MAX_EXTENT = 1 << 32  # elements from the first one of an array to beyond its last


class Layout(NamedTuple):
    """Sizes of dims, the innermost first, and for each array its steps in elements."""

    sizes: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]

    @property
    def reaches(self) -> list[int]:
        return [1 + sum((n - 1) * s for n, s in zip(self.sizes, steps, strict=True)) for steps in self.steps]


def steps_in(array: DeviceArray, shape: Shape) -> tuple[int, ...]:
    """The steps in elements by which an array is read as a shape; a ValueError where it has fractions of them."""
    item, steps = array.itemsize, array.strides
    if steps is None:
        own = shape if array.size == prod(shape) else array.shape  # results are often rows of elements
        steps = byte_strides(own, contiguous_strides(own), item)
    else:
        own = array.shape
    if any(step % item for step in steps):
        raise ValueError(f"expected steps in multiples of {item} bytes, but got {steps}")
    read = [0 if n == 1 else step // item for n, step in zip(own, steps, strict=True)]
    return (*[0] * (len(shape) - len(own)), *read)


@lru_cache(maxsize=4096)
def merged(shape: Shape, steps: tuple[tuple[int, ...], ...]) -> Layout:
    """The layout of arrays in as few dims as say it, but no fewer than `DIMS`."""
    sizes: list[int] = []
    matches: list[tuple[int, ...]] = []  # steps of all arrays, for each dim that is kept
    for dim in reversed(range(len(shape))):
        n, own = shape[dim], tuple([of_array[dim] for of_array in steps])
        if n == 1:
            continue
        if sizes and all(outer == inner * sizes[-1] for outer, inner in zip(own, matches[-1], strict=True)):
            sizes[-1] *= n
        else:
            sizes.append(n)
            matches.append(own)
    missing = max(DIMS - len(sizes), 0)
    sizes += [1] * missing
    matches += [(0,) * len(steps)] * missing
    return Layout(tuple(sizes), tuple([tuple([each[k] for each in matches]) for k in range(len(steps))]))


def slices(layout: Layout) -> Iterator[tuple[Layout, tuple[int, ...]]]:
    if prod(layout.sizes) <= MAX_LAUNCH_ELEMENTS and max(layout.reaches) <= MAX_EXTENT:
        yield layout, (0,) * len(layout.steps)
        return
    widest = max(layout.steps, key=lambda steps: max(n * s for n, s in zip(layout.sizes, steps, strict=True)))
    dim = max(range(len(layout.sizes)), key=lambda d: (layout.sizes[d] - 1) * max(widest[d], 1))
    half = layout.sizes[dim] // 2
    for first, size in ((0, half), (half, layout.sizes[dim] - half)):
        sizes = (*layout.sizes[:dim], size, *layout.sizes[dim + 1 :])
        for part, starts in slices(Layout(sizes, layout.steps)):
            yield part, tuple([s + first * steps[dim] for s, steps in zip(starts, layout.steps, strict=True)])
