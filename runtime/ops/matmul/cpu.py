"""Products of matrices in register tiles, products with vectors, and linear layers; no transposed operand is copied."""

from collections.abc import Sequence
from math import prod

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Maybe, run_if_planned
from ..reduction.cpu import sum_dim
from . import plans
from .cpu_products import (
    contiguous_or_transposed,
    has_loops,
    matmul2d_as_stored,
    matmul3d_as_stored,
    matrix_vector,
    ready_batch,
    vector_vector,
    widened,
)

Number = int | float | complex


def mm(a: Array, b: Array) -> Array:
    return matmul2d_as_stored(a, b)


def mm_backward(output_mask: Sequence[bool], grad: Array, a: Maybe, b: Maybe) -> tuple[Maybe, ...]:
    of_a = None if b is None or not output_mask[0] else matmul2d_as_stored(grad, contiguous_or_transposed(b).T)
    return of_a, None if a is None or not output_mask[1] else matmul2d_as_stored(contiguous_or_transposed(a).T, grad)


def bmm(a: Array, b: Array) -> Array:
    """A product for every matrix of the batch; BLAS is slow at many small products of a column and a row."""
    return np.multiply(widened(a), widened(b), order="C") if a.shape[2] == 1 else matmul3d_as_stored(a, b)


def bmm_backward(output_mask: Sequence[bool], grad: Array, a: Maybe, b: Maybe) -> tuple[Maybe, ...]:
    of_a = None if b is None or not output_mask[0] else bmm(grad, ready_batch(b).swapaxes(1, 2))
    return of_a, None if a is None or not output_mask[1] else bmm(ready_batch(a).swapaxes(1, 2), grad)


def mv(a: Array, x: Array) -> Array:
    return matrix_vector(a, x)


def mv_backward(output_mask: Sequence[bool], grad: Array, a: Maybe, x: Maybe) -> tuple[Maybe, ...]:
    of_a = None if x is None or not output_mask[0] else np.multiply.outer(grad, x)
    return of_a, None if a is None or not output_mask[1] else matrix_vector(contiguous_or_transposed(a).T, grad)


def dot(x: Array, y: Array) -> Array:
    return vector_vector(x, y)


def addmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    return _plus(matmul2d_as_stored(a, b), c, beta, alpha)


def addmv(y: Array, a: Array, x: Array, beta: Number, alpha: Number) -> Array:
    return _plus(matrix_vector(a, x), y, beta, alpha)


def baddbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    return _plus(matmul3d_as_stored(a, b), c, beta, alpha)


def addbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha sum_b a_b b_b: one product of the matrices laid side by side."""
    batch, rows, inner = a.shape
    beside = a.transpose(1, 0, 2).reshape(rows, batch * inner)
    return _plus(matmul2d_as_stored(beside, b.reshape(batch * inner, b.shape[2])), c, beta, alpha)


def _plus(product: Array, c: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha product, in the memory of the product; c is not read when beta is 0."""
    if alpha != 1:
        product *= alpha
    if beta != 0:
        product += c if beta == 1 else beta * c
    return product


def linear(input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    if weight.ndim == 2:
        rows = input.reshape(prod(input.shape[:-1]), input.shape[-1])
        result = matmul2d_as_stored(rows, weight.T, bias)
    else:
        result = np.asarray(_by_one_row(widened(input), widened(weight)))
        if bias is not None:
            result += widened(bias)
    return result.reshape(input.shape[:-1] + weight.shape[:-1])


def _by_one_row(input: np.ndarray, weight: np.ndarray) -> np.ndarray:
    if input.ndim == 1:
        return vector_vector(input, weight)
    return matrix_vector(input.reshape(prod(input.shape[:-1]), input.shape[-1]), weight)


def linear_weight_backward(grad_output: np.ndarray, input: np.ndarray) -> np.ndarray:
    rows = input.reshape(prod(input.shape[:-1]), input.shape[-1])
    if grad_output.ndim < input.ndim:
        return matrix_vector(widened(rows).T, widened(grad_output).reshape(len(rows)))
    return matmul2d_as_stored(grad_output.reshape(len(rows), grad_output.shape[-1]).T, rows)


def linear_backward(
    output_mask: Sequence[bool], grad_output: np.ndarray, input: np.ndarray | None, weight: np.ndarray | None,
    input_shape: Sequence[int], weight_shape: Sequence[int],
) -> tuple[np.ndarray | None, ...]:  # fmt: skip
    outputs = weight_shape[0] if len(weight_shape) == 2 else 1
    rows = grad_output.reshape(prod(input_shape[:-1]), outputs)
    results: list[np.ndarray | None] = [None, None, None]
    if output_mask[0] and weight is not None:
        results[0] = matmul2d_as_stored(rows, weight.reshape(outputs, weight_shape[-1])).reshape(input_shape)
    if output_mask[1] and input is not None:
        results[1] = matmul2d_as_stored(rows.T, input.reshape(len(rows), input_shape[-1])).reshape(weight_shape)
    if output_mask[2]:
        results[2] = sum_dim(widened(rows), (0,), False).reshape(weight_shape[:-1])
    return tuple(results)


CHUNK = 1 << 20  # numbers of each factor that are gathered at a time


def coordinate_mm(input: np.ndarray, row: np.ndarray, column: np.ndarray, count: int, mat2: np.ndarray) -> np.ndarray:
    """The matrix of `count` rows times `mat2`, by SciPy where there is no plan; numbers at one place add up."""
    _require_inside("coordinate_mm", "row", row, count)
    _require_inside("coordinate_mm", "column", column, len(mat2))
    if has_loops(input, mat2):
        result = run_if_planned(plans.coordinate_mm, *map(contiguous, (input, row, column)), count, contiguous(mat2))
        if result is not None:
            return result[0]
    from scipy.sparse import coo_array  # loaded with the first product that needs it

    matrix = coo_array((input, (row, column)), (count, len(mat2))).tocsr()
    return np.ascontiguousarray((matrix @ mat2).astype(input.dtype, copy=False))


def coordinate_sampled(input: np.ndarray, row: np.ndarray, mat2: np.ndarray, column: np.ndarray) -> np.ndarray:
    _require_inside("coordinate_sampled", "row", row, len(input))
    _require_inside("coordinate_sampled", "column", column, len(mat2))
    result = np.empty(row.size, input.dtype)
    step = max(CHUNK // max(input.shape[1], 1), 1)
    for first in range(0, row.size, step):
        part = slice(first, first + step)
        np.einsum("ij,ij->i", input[row[part]], mat2[column[part]], out=result[part])
    return result


def _require_inside(op: str, name: str, index: np.ndarray, size: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= size):
        raise IndexError(
            f"{op}(): index out of range: expected {name} in [0, {size}), but got {index.min()} to {index.max()}"
        )
