"""Which way a convolution of given shapes goes, decided once: the shape rules, which were measured.

Pictures too small to fill vectors are turned (conv_turned.py); depthwise ones are filtered where they lie
(conv_stencil.py); all others are sums of shifted pictures (conv_plan.py).
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any, NamedTuple

from .cpu_batch_last import block_of_samples
from .cpu_depthwise import filter_planes, filter_planes_backward, stencil_numbers
from .cpu_geometry import Geometry, Ints, Work, geometry
from .cpu_shifted import ROWS, add_shifted, backward_plan, covered, forward_plan, multiply_shifted, slopes_plan


class Choice(NamedTuple):
    """How one result of a convolution is computed."""

    block: int  # samples that become a dimension; if not 0, nothing else is decided yet
    work: Work | None = None
    shape: Ints = ()  # of the result
    channels: int = 0  # of the result
    whole: bool = True  # whether all of the result is written


def _sizes(input_shape: Ints, weight_shape: Ints, *rest: Any) -> Geometry:
    """Those of the convolution of a batch, of one sample where the input is none."""
    return geometry((1,) * (len(weight_shape) - len(input_shape)) + tuple(input_shape), tuple(weight_shape), *rest)


@functools.lru_cache(maxsize=1024)
def for_output(itemsize: int, input_shape: Ints, weight_shape: Ints, stride: Ints, *rest: Any) -> Choice:
    """The output."""
    g = _sizes(input_shape, weight_shape, stride, *rest)
    block = block_of_samples(g, itemsize)
    if block:
        return Choice(block)
    lead = input_shape[: len(input_shape) - len(stride) - 1]
    shape = (*lead, weight_shape[0], *g.positions[3 - len(stride) :])
    numbers = stencil_numbers(g, itemsize, mirrored=False)
    if numbers is not None:
        return Choice(0, Work(filter_planes, (numbers,), g.batch * g.groups, g.products), shape, weight_shape[0])
    parts = g.batch * g.groups * -(-g.outputs // ROWS)
    return Choice(0, Work(add_shifted, forward_plan(g), parts, g.products), shape, weight_shape[0])


@functools.lru_cache(maxsize=1024)
def for_input_grad(itemsize: int, input_shape: Ints, weight_shape: Ints, *rest: Any) -> Choice:
    """The gradient of the input."""
    g = _sizes(input_shape, weight_shape, *rest)
    block = block_of_samples(g, itemsize)
    if block:
        return Choice(block)
    channels, numbers = g.groups * g.channels, stencil_numbers(g, itemsize, mirrored=True)
    if numbers is not None:
        return Choice(0, Work(filter_planes, (numbers,), g.batch * g.groups, g.products), input_shape, channels)
    plan = backward_plan(g)
    work = Work(add_shifted, plan, g.batch * g.groups * -(-g.channels // ROWS), g.products)
    return Choice(0, work, input_shape, channels, covered(plan) == prod(g.sizes))


@functools.lru_cache(maxsize=1024)
def for_weight_grad(itemsize: int, input_shape: Ints, weight_shape: Ints, *rest: Any) -> Choice:
    """The gradient of the weight."""
    g = _sizes(input_shape, weight_shape, *rest)
    block = block_of_samples(g, itemsize)
    if block:
        return Choice(block)
    numbers = stencil_numbers(g, itemsize, mirrored=False)
    if numbers is not None:
        return Choice(0, Work(filter_planes_backward, (numbers,), g.groups, g.products))
    return Choice(0, Work(multiply_shifted, slopes_plan(g, itemsize), g.groups * -(-g.outputs // ROWS), g.products))
