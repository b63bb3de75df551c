"""References of the section distance of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def pdist(self, p):
    return (
        scipy.spatial.distance.pdist(self, "minkowski", p=p)
        if 0 < p < np.inf
        else scipy.spatial.distance.pdist(self, "chebyshev" if p else "hamming") * (1 if p else self.shape[1])
    )


def cosine_similarity(x1, x2, dim, eps):
    return (
        np.sum(x1 * x2, dim)
        / np.maximum(np.linalg.norm(x1 + x2 * 0, axis=dim), eps)
        / np.maximum(np.linalg.norm(x2 + x1 * 0, axis=dim), eps)
    )


def row_distances_1_backward(grad_output, x1, x2):
    shares = grad_output[..., None] * np.sign(x1[..., :, None, :] - x2[..., None, :, :])
    return np.sum(shares, -2), -np.sum(shares, -3)


def row_distances_2_backward(grad_output, x1, x2, distance):
    shares = (grad_output / distance)[..., None] * (x1[..., :, None, :] - x2[..., None, :, :])
    return np.sum(shares, -2), -np.sum(shares, -3)


def row_distances_inf_backward(grad_output, x1, x2, distance):
    apart = x1[..., :, None, :] - x2[..., None, :, :]
    chosen = np.abs(apart) == distance[..., None]
    shares = grad_output[..., None] * np.sign(apart) * chosen / np.maximum(np.sum(chosen, -1, keepdims=True), 1)
    return np.sum(shares, -2), -np.sum(shares, -3)


def row_distances_p_backward(grad_output, x1, x2, distance, p):
    apart = x1[..., :, None, :] - x2[..., None, :, :]
    shares = grad_output[..., None] * np.sign(apart) * (np.abs(apart) / distance[..., None]) ** (p - 1)
    return np.sum(shares, -2), -np.sum(shares, -3)


def above_diagonal_backward(grad_output, n):
    places = np.cumsum(np.triu(np.ones((n, n)), 1)).reshape((n, n)).astype(np.int64) - 1
    padded = np.concatenate([grad_output, np.zeros_like(grad_output[..., :1])], -1) if n > 1 else np.zeros((1,))
    return np.where(np.triu(np.ones((n, n)), 1) > 0, padded[..., places], 0)
