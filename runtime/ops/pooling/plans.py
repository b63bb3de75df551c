"""Plans of pooling of contiguous floats over the last `spatial` dimensions, and of its gradients."""

from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.plan import Array, Ints, Layout, Plan, Step, are_contiguous, of_any_dtype
from ..conv.cpu_geometry import Geometry, flat_steps
from ..conv.cpu_im2col import backward_plan, forward_plan
from . import cpu_loops as loops
from .cpu_windows import Windows, adaptive_windows, windows_of, windows_table

SMALL = 1 << 31  # elements of a plane whose indices are counted in 32 bits


def max_pool(x: Layout, *window: Any) -> Plan | None:
    if not are_contiguous(x):
        return None
    windows, spatial = windows_of(x.shape, *window[:-1]), window[-1]
    if windows.sliding is None or prod(windows.sliding.sizes) >= SMALL or not prod(x.shape):
        return _maxima(windows, spatial)
    g = windows.sliding
    lines = prod(g.positions[:2]), g.positions[1], g.positions[2]
    tables = (*_sliding_tables(g), windows_table(windows))
    bounds = _window_bounds(windows)
    return (Step(loops.sliding_maxima, (0,), bounds, (), lines, (g.batch, 1), tables=tables, indices=(1,)),)


def max_pool_of_any(x: Layout, *window: Any) -> Plan | None:
    return _maxima(windows_of(x.shape, *window[:-1]), window[-1]) if are_contiguous(x) else None


def adaptive_max_pool(x: Layout, output_size: Ints, spatial: int) -> Plan | None:
    return _maxima(adaptive_windows(x.shape, output_size), spatial) if are_contiguous(x) else None


def _window_bounds(windows: Windows) -> tuple[tuple[int, Ints], ...]:
    return (0, windows.shape), (1, windows.shape)


def _maxima(windows: Windows, spatial: int) -> Plan:
    tables = (windows_table(windows),)
    planes = prod(windows.shape[:-spatial])
    return (Step(loops.window_maxima, (0,), _window_bounds(windows), rows=(planes, 1), tables=tables, indices=(1,)),)


def _sliding_tables(g: Geometry) -> tuple[Array, ...]:
    """What `sliding_maxima` takes: packed planes, taps, their offsets in a window, and window positions. Windows are
    numbered as columns of the packed planes; some columns belong to no window."""
    plan, steps = forward_plan(g), flat_steps(g.sizes)
    behind = [sum(j * d * n for j, d, n in zip(tap, g.dilation, steps, strict=True)) for tap in np.ndindex(*g.kernel)]
    columns = np.arange(plan.tasks[2])
    pitch0, pitch1 = plan.layout[7:9]
    counts = columns // pitch0, columns % pitch0 // pitch1, columns % pitch0 % pitch1
    along = zip(counts, g.stride, g.pads, steps, strict=True)
    positions = np.asarray(sum((count * s - pad) * n for count, s, pad, n in along))
    return plan.layout, plan.parts, plan.taps[: plan.taps.size // 2], np.array(behind, np.int64), positions


def max_pool_backward(grad: Layout, indices: Layout, input_shape: Ints, spatial: int) -> Plan | None:
    shape = tuple(input_shape)
    if not are_contiguous(grad, indices):
        return None
    ints = prod(grad.shape[-spatial:]), prod(shape[-spatial:])
    rows, work = (prod(shape[:-spatial]), 1), prod(shape)
    return (Step(loops.add_at_indices, (0, 1), ((0, shape),), (), ints, rows, work),)


@of_any_dtype
def max_unpool(x: Layout, indices: Layout, kernel: Ints, stride: Ints, padding: Ints, output_size: Ints) -> Plan | None:
    shape = (*x.shape[: -len(kernel)], *output_size)
    if not are_contiguous(x, indices):
        return None
    ints, rows = (prod(x.shape[-len(kernel) :]), prod(output_size)), (prod(x.shape[: -len(kernel)]), 1)
    return (Step(loops.put_at_indices, (0, 1), ((0, shape),), (), ints, rows, prod(shape)),)


def avg_pool(x: Layout, *window: Any) -> Plan | None:
    return _means(*_windows_and_divisors(x.shape, *window)) if are_contiguous(x) else None


def avg_pool_backward(grad: Layout, input_shape: Ints, *window: Any) -> Plan | None:
    shape = tuple(input_shape)
    return _scatter_grad(shape, *_windows_and_divisors(shape, *window)) if are_contiguous(grad) else None


def adaptive_avg_pool(x: Layout, output_size: Ints, spatial: int) -> Plan | None:
    windows = adaptive_windows(x.shape, output_size)
    return _means(windows, windows.elements, spatial) if are_contiguous(x) else None


def adaptive_avg_pool_backward(grad: Layout, input_shape: Ints, spatial: int) -> Plan | None:
    shape = tuple(input_shape)
    windows = adaptive_windows(shape, grad.shape[-spatial:])
    return _scatter_grad(shape, windows, windows.elements, spatial) if are_contiguous(grad) else None


def _windows_and_divisors(
    shape: Ints, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None, spatial: int,
) -> tuple[Windows, Array, int]:  # fmt: skip
    windows = windows_of(shape, kernel, stride, padding, (1,) * spatial, ceil_mode)
    elements = windows.elements if count_include_pad else windows.inside
    return windows, np.array(divisor_override) if divisor_override else elements, spatial


def _means(windows: Windows, divisors: Array, spatial: int) -> Plan:
    result, rows, divided = ((0, windows.shape),), (prod(windows.shape[:-spatial]), 1), _integral_divisors(divisors)
    if windows.sliding is None:
        return (Step(loops.window_means, (0,), result, rows=rows, tables=(windows_table(windows), divided)),)
    tables, ints = (*forward_plan(windows.sliding), divided), (prod(windows.shape[-spatial:]),)
    return (Step(loops.sliding_means, (0,), result, (), ints, rows, tables=tables),)


def _scatter_grad(shape: Ints, windows: Windows, divisors: Array, spatial: int) -> Plan:
    result, rows, divided = ((0, shape),), (prod(shape[:-spatial]), 1), _integral_divisors(divisors)
    if windows.sliding is None:
        return (Step(loops.scatter_mean_grads, (0,), result, rows=rows, tables=(windows_table(windows), divided)),)
    tables = (*backward_plan(windows.sliding), divided)
    ints = prod(windows.shape[-spatial:]), prod(shape[-spatial:])
    return (Step(loops.scatter_sliding_mean_grads, (0,), result, (), ints, rows, tables=tables),)


def _integral_divisors(divisors: Array) -> Array:
    return np.ascontiguousarray(divisors, np.int64).reshape(-1)
