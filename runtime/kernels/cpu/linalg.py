"""Products of matrices and vectors: BLAS through NumPy, which does not copy transposed operands."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Number = int | float | complex


def mm(a: Array, b: Array) -> Array:
    """C_ij = sum_k a_ik b_kj."""
    return a.dot(b)


def bmm(a: Array, b: Array) -> Array:
    """A product for every matrix of the batch; BLAS is slow at many small products of a column and a row."""
    return np.multiply(a, b, order="C") if a.shape[2] == 1 else np.matmul(a, b)


def mv(a: Array, x: Array) -> Array:
    """y_i = sum_k a_ik x_k."""
    return a.dot(x)


def dot(x: Array, y: Array) -> Array:
    """sum_k x_k y_k."""
    return x.dot(y)


def addmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha a b."""
    return _plus(a.dot(b), c, beta, alpha)


def addmv(y: Array, a: Array, x: Array, beta: Number, alpha: Number) -> Array:
    """beta y + alpha a x."""
    return _plus(a.dot(x), y, beta, alpha)


def baddbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha a b for every matrix of the batch."""
    return _plus(np.matmul(a, b), c, beta, alpha)


def addbmm(c: Array, a: Array, b: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha sum_b a_b b_b: one product of the matrices laid side by side."""
    batch, rows, inner = a.shape
    beside = a.transpose(1, 0, 2).reshape(rows, batch * inner)
    return _plus(beside.dot(b.reshape(batch * inner, b.shape[2])), c, beta, alpha)


def _plus(product: Array, c: Array, beta: Number, alpha: Number) -> Array:
    """beta c + alpha product, in the memory of the product; c is not read when beta is 0."""
    if alpha != 1:
        product *= alpha
    if beta != 0:
        product += c if beta == 1 else beta * c
    return product
