"""Undoing maximum pooling: each maximum goes back to where it was found."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ....generated.tensor import Tensor
from ....runtime.creation import zeros
from ....runtime.dispatch import checks
from ....runtime.modes.intercept import autocast_as, interceptable
from ....runtime.tensor import dtypes
from ...docstrings import completed_from

Size = int | Sequence[int]


@autocast_as(cpu="float32")
@interceptable("composite")
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The partial inverse of `max_pool1d`: each maximum at its index, zeros elsewhere.

    Args:
        input: the maxima.
        indices: where in its signal each of them stands.
        kernel_size, stride, padding: those of the pooling, each one number.
        output_size: the sizes of the result where pooling left several open, or its whole shape.

    Shape:
        Input (N, C, L) or (C, L); output (N, C, L') or (C, L'), with L' = (L - 1) stride - 2 padding + kernel_size.

    Raises:
        RuntimeError: an index outside the result, or indices of another shape or dtype.
        ValueError: an output_size that pooling does not map to the input's sizes.

    Example:
        >>> import specgrad as sg
        >>> F = sg.nn.functional
        >>> values, indices = F.max_pool1d(sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2, return_indices=True)
        >>> F.max_unpool1d(values, indices, 2)
        tensor([[0., 5., 0., 3.]])
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


@autocast_as(cpu="float32")
@interceptable("composite")
@completed_from(max_unpool1d)
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The partial inverse of `max_pool2d`: each maximum at its index, zeros elsewhere.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_unpool2d(sg.tensor([[[4.0]]]), sg.tensor([[[3]]]), 2)
        tensor([[[0., 0.],
                 [0., 4.]]])
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


@autocast_as(cpu="float32")
@interceptable("composite")
@completed_from(max_unpool1d)
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The partial inverse of `max_pool3d`: each maximum at its index, zeros elsewhere.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_unpool3d(sg.tensor([[[[7.0]]]]), sg.tensor([[[[1]]]]), (1, 1, 2))
        tensor([[[[0., 7.]]]])
    """
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


def _unpool(
    spatial: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    output_size: Sequence[int] | None,
) -> Tensor:
    op = f"max_unpool{spatial}d"
    checks.tensor(op, "input", input)
    kernel = checks.integer_list(op, "kernel_size", kernel_size, spatial)
    step = kernel if stride is None else checks.integer_list(op, "stride", stride, spatial)
    pads = checks.integer_list(op, "padding", padding, spatial)
    _require_indices(op, input, indices)
    lead, own = input.shape[:-spatial], input.shape[-spatial:]
    usual = [(n - 1) * s + k - 2 * pad for n, s, k, pad in zip(own, step, kernel, pads, strict=True)]
    sizes = usual if output_size is None else _chosen(tuple(output_size), usual, step)
    flat = zeros((*lead, prod(sizes)), dtype=input.dtype, device=input.device)
    return flat.scatter(-1, indices.flatten(-spatial), input.flatten(-spatial)).reshape((*lead, *sizes))


def _require_indices(op: str, input: Tensor, indices: Tensor) -> None:
    if checks.tensor(op, "indices", indices).dtype is not dtypes.int64:
        raise RuntimeError(f"{op}(): elements in indices should be type int64 but got: {indices.dtype.name}")
    if indices.shape != input.shape:
        raise RuntimeError(
            f"{op}(): Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got "
            f"indices tensor with shape: {list(indices.shape)}"
        )


def _chosen(wanted: tuple[int, ...], usual: list[int], step: tuple[int, ...]) -> list[int]:
    """output_size, of a whole shape its end, which may differ from the usual sizes by less than a step."""
    spatial = len(usual)
    if len(wanted) == spatial + 2:
        wanted = wanted[2:]
    if len(wanted) != spatial:
        raise ValueError(
            f"output_size should be a sequence containing {spatial} or {spatial + 2} elements, but it has a length of "
            f"'{len(wanted)}'"
        )
    for dim, (size, n, s) in enumerate(zip(wanted, usual, step, strict=True)):
        if not n - s < size < n + s:
            raise ValueError(f'invalid output_size "{wanted}" (dim {dim} must be between {n - s} and {n + s})')
    return list(wanted)
