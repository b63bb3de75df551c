"""In which order the dimensions of a tensor lie in memory: memory formats, and the layouts that copies preserve."""

import functools
from collections.abc import Sequence
from typing import Any

from ..device.device import CPU, META
from ..errors import ShapeError
from ..kernels.cpu.contiguous_copy import copied as copied_on_host
from ..shapes import Shape, contiguous_strides, is_contiguous
from .memory import copied
from .memory_format import BY_DIMS, ORDERS, Strides, contiguous_format, memory_format, ordered_strides, preserve_format
from .tensor import alias, from_flat


def format_strides(op: str, shape: Shape, requested: memory_format) -> Strides:
    if requested is contiguous_format:
        return contiguous_strides(shape)
    order = ORDERS.get(requested)
    if order is None:
        raise RuntimeError(f"{op}(): unsupported memory format option {requested.name}: there is no tensor to be like")
    if len(order) != len(shape):
        raise ShapeError(
            f"{op}(): required rank {len(order)} tensor to use {requested.name} format, but got {len(shape)}"
        )
    return ordered_strides(shape, order)


@functools.lru_cache(maxsize=4096)
def suggested_format(shape: Shape, strides: Strides | None) -> memory_format:
    """The format that strides tell: channels last only where no size of 1 leaves it open, `contiguous_format` else."""
    if strides is None or len(shape) not in BY_DIMS:
        return contiguous_format
    requested, order = BY_DIMS[len(shape)]
    smallest = 0
    if strides[1] == 0:
        return contiguous_format
    for dim in reversed(order):
        if not shape[dim] or strides[dim] < smallest or (dim == 0 and smallest == strides[1]):
            return contiguous_format
        smallest = strides[dim] * shape[dim]
    return requested


@functools.lru_cache(maxsize=4096)
def preserved_strides(shape: Shape, strides: Strides | None) -> Strides | None:
    """Those of the tensor where it has no gaps nor overlaps, else its order without gaps; None for usual ones."""
    if strides is None or is_contiguous(shape, strides):
        return None if strides is None or strides == contiguous_strides(shape) else strides
    result = strides if is_dense(shape, strides) else ordered_strides(shape, memory_order(shape, (strides,)))
    return None if result == contiguous_strides(shape) else result


@functools.lru_cache(maxsize=4096)
def is_dense(shape: Shape, strides: Strides) -> bool:
    """Whether elements lie without gaps and overlaps, in any order of dimensions."""
    step = 1
    for stride, size in sorted((stride, size) for stride, size in zip(strides, shape, strict=True) if size != 1):
        if stride != step:
            return False
        step *= size
    return True


def are_alike(shape: Sequence[int], strides: Sequence[int], others: Sequence[int]) -> bool:
    """Whether strides lead to the same places: those of dimensions of size 1 lead nowhere."""
    return all(a == b for size, a, b in zip(shape, strides, others, strict=True) if size != 1)


@functools.lru_cache(maxsize=4096)
def memory_order(shape: Shape, operands: Sequence[Strides]) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost, by the strides of operands expanded to a shape.

    The first operand whose strides differ decides, 0 tells nothing, and what nobody tells stays in row order."""
    order = list(reversed(range(len(shape))))  # the innermost first
    for start in range(1, len(order)):
        position = start
        for before in reversed(range(start)):
            comparison = _compared(order[before], order[position], shape, operands)
            if comparison < 0:
                break
            if comparison > 0:
                order[before], order[position] = order[position], order[before]
                position = before
    return tuple(reversed(order))


def _compared(first: int, second: int, shape: Shape, operands: Sequence[Strides]) -> int:
    """1 where the first dimension lies outside of the second, -1 where inside, 0 where no operand tells."""
    for strides in operands:
        a, b = strides[first], strides[second]
        if not a or not b:
            continue
        if a != b:
            return -1 if a < b else 1
        if shape[first] > shape[second]:
            return 1
    return 0


def is_in_rows(*tensors: Any) -> bool:
    """Whether no tensor on the host says that results are to lie in another order than that of rows."""
    return all(t is None or t._strides is None or _inherited_format(t) is contiguous_format for t in tensors)


def _inherited_format(tensor: Any) -> memory_format:
    """The memory format that results take over: on devices all kernels give rows."""
    return suggested_format(tensor._shape, tensor._strides) if keeps_order(tensor) else contiguous_format


def keeps_order(tensor: Any) -> bool:
    """Results keep the layout on the host, and on `meta`, which says how that is; not on devices."""
    return tensor._device is CPU or tensor._device is META


def keeps_rows(tensor: Any) -> bool:
    if not keeps_order(tensor):
        return True
    return tensor._strides is None or preserved_strides(tensor._shape, tensor._strides) is None


def agreeing(tensors: Sequence[Any]) -> Any:
    formats = {suggested_format(t._shape, t._strides) for t in tensors}
    return tensors[0] if len(formats) == 1 else None


def memory_format_of(result: Any, *tensors: Any) -> Any:
    """A new tensor in the memory format of the first of some tensors that has one other than rows."""
    for t in tensors:
        if t is not None and t._strides is not None:
            requested = _inherited_format(t)
            if requested is not contiguous_format and len(result._shape) == len(ORDERS[requested]):
                return with_layout(result, ordered_strides(result._shape, ORDERS[requested]))
    return result


def memory_formats_of(results: tuple[Any, ...], *tensors: Any) -> tuple[Any, ...]:
    """The first of some new tensors, and those of its shape, as `memory_format_of` lays out one."""
    shape = results[0]._shape
    return tuple(memory_format_of(t, *tensors) if t._shape == shape else t for t in results)


def in_rows(tensor: Any) -> Any:
    if is_in_rows(tensor):
        return tensor
    return from_flat(_copied(tensor).ravel(), tensor._shape, tensor._dtype)


def formatted(op: str, result: Any, source: Any, requested: memory_format | None) -> Any:
    """A new tensor, in rows, in a memory format; by default as its source lies, which copies on devices do not."""
    if requested is None and not keeps_order(result):
        return result
    strides = requested_strides(op, source, requested)
    return result if strides is None else with_layout(result, strides)


def requested_strides(op: str, source: Any, requested: memory_format | None) -> Strides | None:
    """Of a copy, by default the one that preserves; None for the usual ones."""
    if requested is None or requested is preserve_format:
        return preserved_strides(source._shape, source._strides)
    if requested is contiguous_format:
        return None
    strides = format_strides(op, source._shape, requested)
    return None if strides == contiguous_strides(source._shape) else strides


def with_layout(tensor: Any, strides: Strides) -> Any:
    """A copy outside the graph, whose elements lie without gaps in the order of the strides."""
    if tensor._device is META:
        return relaid(tensor, strides)
    shape, steps = tensor._shape, tensor.stride()
    order = sorted(range(len(shape)), key=lambda dim: (-strides[dim], dim))
    permuted = alias(tensor, tuple([shape[dim] for dim in order]), tuple([steps[dim] for dim in order]), tensor._offset)
    flat = _copied(permuted).ravel()
    return alias(from_flat(flat, (flat.size,), tensor._dtype), shape, strides, 0)


def relaid(tensor: Any, strides: Strides | None) -> Any:
    """A new contiguous tensor, not filled or of equal elements, under other strides without gaps."""
    return tensor if strides is None else alias(tensor, tensor._shape, strides, 0)


def _copied(tensor: Any) -> Any:
    """Always a new array, in row order."""
    return copied_on_host(tensor.array) if tensor._device is CPU else copied(tensor.array)
