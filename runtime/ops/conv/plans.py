"""Plans of convolutions of contiguous floats, and of their gradients; cpu_algorithm.py says which loops run."""

from math import prod
from typing import Any

from ...kernels.cpu.plan import Ints, Layout, Plan, are_contiguous
from ...kernels.cpu.reduce_layout import folding
from ..reduction.plans import sum_step
from . import cpu_algorithm as algorithm
from .cpu_geometry import Call, Geometry, geometry


def convolution(x: Layout, weight: Layout, bias: Layout | None, stride: Ints, *rest: Any) -> Plan | None:
    if not are_contiguous(x, weight, bias):
        return None
    g, result = geometry_and_result(x.shape, weight.shape, stride, *rest)
    return algorithm.output(g, Call(0, 1, None if bias is None else 2, (0, result), 1))


def convolution_input_backward(
    grad: Layout, weight: Layout, input_shape: Ints, stride: Ints, *rest: Any
) -> Plan | None:
    if not are_contiguous(grad, weight):
        return None
    g, _ = geometry_and_result(tuple(input_shape), weight.shape, stride, *rest)
    return algorithm.input_gradient(g, Call(0, 1, None, (0, tuple(input_shape)), 1))


def convolution_weight_backward(grad: Layout, x: Layout, weight_shape: Ints, stride: Ints, *rest: Any) -> Plan | None:
    if not are_contiguous(grad, x):
        return None
    g, _ = geometry_and_result(x.shape, tuple(weight_shape), stride, *rest)
    return algorithm.weight_gradient(g, Call(0, 1, None, (0, tuple(weight_shape)), 1))


def convolution_backward(
    output_mask: tuple[bool, ...], grad: Layout, x: Layout | None, weight: Layout | None, *shapes: Any
) -> Plan | None:
    if not are_contiguous(grad, x, weight):
        return None
    input_shape, weight_shape, *rest = shapes
    g, _ = geometry_and_result(input_shape, weight_shape, *rest)
    plan: Plan = ()
    if output_mask[0]:
        plan += algorithm.input_gradient(g, Call(1, 3, None, (0, input_shape), next_of(plan)))
    if output_mask[1]:
        plan += algorithm.weight_gradient(g, Call(1, 2, None, (1, weight_shape), next_of(plan)))
    if output_mask[2]:
        plan += sums_of_channels(g, weight_shape[0], next_of(plan))
    return plan


def next_of(plan: Plan, outputs: int = 3) -> int:
    return max([outputs, *[1 + number for step in plan for number, _ in step.results]])


def sums_of_channels(g: Geometry, channels: int, spare: int) -> Plan:
    planes = (g.batch * channels, prod(g.positions))
    if g.batch == 1:
        return (sum_step(1, 2, (channels,), folding(planes, 1), 1),)
    sums = sum_step(1, spare, planes[:1], folding(planes, 1), 1)
    return sums, sum_step(~spare, 2, (channels,), folding((g.batch, channels), 0), 1)


def geometry_and_result(x: Ints, weight: Ints, stride: Ints, *rest: Any) -> tuple[Geometry, Ints]:
    """The sizes of the convolution of an input, (batch, channels, ...) or (channels, ...), and the output's shape."""
    dims = len(stride)
    g = geometry((1,) * (dims + 2 - len(x)) + x, weight, stride, *rest)
    return g, (*x[: -dims - 1], weight[0], *g.positions[3 - dims :])
