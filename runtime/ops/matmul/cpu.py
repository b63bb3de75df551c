"""Products of matrices in register tiles, and of vectors; transposed operands are not copied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernels.cpu.matmul import matmul2d, matmul3d
from ...kernels.cpu.matvec import matrix_vector, vector_vector

Array = np.ndarray
Number = int | float | complex


def mm(a: Array, b: Array) -> Array:
    """C_ij = sum_k a_ik b_kj."""
    return matmul2d(a, b)


def mm_backward(wanted: Sequence[bool], grad: Array, a: Array | None, b: Array | None) -> tuple[Array | None, ...]:
    """The gradients of both matrices of `mm`."""
    return (
        None if b is None or not wanted[0] else matmul2d(grad, b.T),
        None if a is None or not wanted[1] else matmul2d(a.T, grad),
    )


def bmm(a: Array, b: Array) -> Array:
    """A product for every matrix of the batch; BLAS is slow at many small products of a column and a row."""
    return np.multiply(a, b, order="C") if a.shape[2] == 1 else matmul3d(a, b)


def bmm_backward(wanted: Sequence[bool], grad: Array, a: Array | None, b: Array | None) -> tuple[Array | None, ...]:
    """The gradients of both batches of `bmm`."""
    return (
        None if b is None or not wanted[0] else bmm(grad, b.swapaxes(1, 2)),
        None if a is None or not wanted[1] else bmm(a.swapaxes(1, 2), grad),
    )


def mv(a: Array, x: Array) -> Array:
    """y_i = sum_k a_ik x_k."""
    return matrix_vector(a, x)


def mv_backward(wanted: Sequence[bool], grad: Array, a: Array | None, x: Array | None) -> tuple[Array | None, ...]:
    """The gradients of the matrix and of the vector of `mv`."""
    return (
        None if x is None or not wanted[0] else np.multiply.outer(grad, x),
        None if a is None or not wanted[1] else matrix_vector(a.T, grad),
    )


def dot(x: Array, y: Array) -> Array:
    """sum_k x_k y_k."""
    return vector_vector(x, y)


def addmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha a b."""
    return _plus(matmul2d(a, b), c, beta, alpha)


def addmv(y: Array, a: Array, x: Array, beta: Number, alpha: Number) -> Array:
    """beta y + alpha a x."""
    return _plus(matrix_vector(a, x), y, beta, alpha)


def baddbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha a b for every matrix of the batch."""
    return _plus(matmul3d(a, b), c, beta, alpha)


def addbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha sum_b a_b b_b: one product of the matrices laid side by side."""
    batch, rows, inner = a.shape
    beside = a.transpose(1, 0, 2).reshape(rows, batch * inner)
    return _plus(matmul2d(beside, b.reshape(batch * inner, b.shape[2])), c, beta, alpha)


def _plus(product: Array, c: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha product, in the memory of the product; c is not read when beta is 0."""
    if alpha != 1:
        product *= alpha
    if beta != 0:
        product += c if beta == 1 else beta * c
    return product
