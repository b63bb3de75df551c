"""Plans of copies in which dimensions are taken apart: those of a copy of the operand as it lies, seen in parts."""

from __future__ import annotations

from ...kernels.cpu.plan import Layout, Plan, of_any_dtype
from ...shapes import contiguous_strides, is_contiguous
from ..shape.plans import clone
from .cpu_shuffle import Shuffle, to_channels, to_pixels, to_shuffled_groups


@of_any_dtype
def channels_to_pixels(x: Layout, factor: int) -> Plan | None:
    return _shuffled(x, to_pixels(x.shape, factor))


@of_any_dtype
def pixels_to_channels(x: Layout, factor: int) -> Plan | None:
    return _shuffled(x, to_channels(x.shape, factor))


@of_any_dtype
def shuffled_channels(x: Layout, groups: int) -> Plan | None:
    return _shuffled(x, to_shuffled_groups(x.shape, groups))


def _shuffled(x: Layout, how: Shuffle) -> Plan | None:
    sizes, steps = sum(how.parts, ()), list[int]()
    for own, step in zip(how.parts, x.strides or contiguous_strides(x.shape), strict=True):
        steps += [step * inner for inner in contiguous_strides(own)]
    shape, strides = (tuple([of[d] for d in how.order]) for of in (sizes, steps))
    result = clone(x._replace(shape=shape, strides=None if is_contiguous(shape, strides) else strides))
    return result and tuple([step._replace(results=((0, how.shape),)) for step in result])
