"""Kernels over rows: arrays in, arrays out, in the dtype of the computation. Sums are added up in float64."""

import math

import numpy as np
from numba import njit


def _rows(a, dim):
    """A copy in which what lies along `dim` are contiguous rows, and their shape."""
    last = np.moveaxis(a, dim, -1)
    return np.array(last, order="C").reshape(math.prod(last.shape[:-1]), last.shape[-1]), last.shape


def _back(rows, shape, dim):
    """Rows as they lay, contiguous."""
    return np.ascontiguousarray(np.moveaxis(rows.reshape(shape), -1, dim))


@njit(cache=True)
def _power_means(rows, power, out):
    for r in range(rows.shape[0]):
        top, total = rows[r].max(), 0.0
        for x in rows[r]:
            total += (x / top) ** power
        out[r] = top * (total / rows.shape[1]) ** (1 / power)


def power_mean(a, power, dim):
    rows, shape = _rows(a, dim)
    out = np.empty(len(rows), a.dtype)
    _power_means(rows, power, out)
    return out.reshape(shape[:-1])


@njit(cache=True)
def _power_mean_backward(grad, rows, result, power):
    for r in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            rows[r, i] = grad[r] * (rows[r, i] / result[r]) ** (power - 1) / rows.shape[1]


def power_mean_backward(grad, a, result, power, dim):
    rows, shape = _rows(a, dim)
    _power_mean_backward(np.ravel(grad), rows, np.ravel(result), power)
    return _back(rows, shape, dim)


@njit(cache=True)
def _weighted(rows, weight, out):
    for r in range(rows.shape[0]):
        top, total = rows[r].max(), 0.0
        for i in range(rows.shape[1]):
            total += weight[i] * math.exp(rows[r, i] - top)
        out[r] = top + math.log(total)


def weighted_logsumexp(a, weight, dim):
    rows, shape = _rows(a, dim)
    out = np.empty(len(rows), a.dtype)
    _weighted(rows, weight, out)
    return out.reshape(shape[:-1])


@njit(cache=True)
def _weighted_backward(grad, rows, weight, result, total):
    for r in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            beside = grad[r] * math.exp(rows[r, i] - result[r])
            total[i] += beside
            rows[r, i] = weight[i] * beside


def weighted_logsumexp_backward(output_mask, grad, a, weight, result, dim):
    """Both gradients in one pass over the rows; where `wanted[0]` is false the node has not saved the weights."""
    rows, shape = _rows(a, dim)
    total = np.zeros(shape[-1])
    _weighted_backward(
        np.ravel(grad), rows, weight if output_mask[0] else np.ones(shape[-1], a.dtype), np.ravel(result), total
    )
    return (_back(rows, shape, dim) if output_mask[0] else None), (total.astype(a.dtype) if output_mask[1] else None)


@njit(cache=True)
def _rms(rows, gain, eps):
    for r in range(rows.shape[0]):
        total = 0.0
        for x in rows[r]:
            total += x * x
        scale = 1 / math.sqrt(total / rows.shape[1] + eps)
        for i in range(rows.shape[1]):
            rows[r, i] *= gain[i] * scale


def rms_rows(a, gain, eps):
    rows, shape = _rows(a, -1)
    _rms(rows, gain, eps)
    return rows.reshape(shape)


@njit(cache=True)
def _rms_backward(grad, rows, gain, eps, total):
    for r in range(rows.shape[0]):
        size, along = 0.0, 0.0
        for i in range(rows.shape[1]):
            size += rows[r, i] * rows[r, i]
            along += grad[r, i] * gain[i] * rows[r, i]
        scale = 1 / math.sqrt(size / rows.shape[1] + eps)
        share = along * scale * scale / rows.shape[1]
        for i in range(rows.shape[1]):
            total[i] += grad[r, i] * rows[r, i] * scale
            rows[r, i] = scale * (grad[r, i] * gain[i] - rows[r, i] * share)


def rms_rows_backward(output_mask, grad, a, gain, eps):
    """Both gradients in two passes over each row; where `wanted[0]` is false the node has not saved the gains."""
    rows, shape = _rows(a, -1)
    total = np.zeros(shape[-1])
    _rms_backward(_rows(grad, -1)[0], rows, gain if output_mask[0] else np.ones(shape[-1], a.dtype), eps, total)
    return (rows.reshape(shape) if output_mask[0] else None), (total.astype(a.dtype) if output_mask[1] else None)
