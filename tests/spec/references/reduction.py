"""References of the section reduction of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def prod_others(self, dim):
    return (
        np.stack([np.prod(np.delete(self, i, dim), dim) for i in range(self.shape[dim])], dim)
        if self.size and self.ndim
        else self**0
    )


def var_correction(self, dim, correction, keepdim):
    return np.var(
        self, axis=dim if dim and self.ndim else None, keepdims=keepdim, ddof=1 if correction is None else correction
    )


def std_correction(self, dim, correction, keepdim):
    return np.std(
        self, axis=dim if dim and self.ndim else None, keepdims=keepdim, ddof=1 if correction is None else correction
    )


def norm(self, p, dim, keepdim):
    return (
        np.count_nonzero(self, axis=dim if dim and self.ndim else None, keepdims=keepdim) * 1.0
        if p == 0
        else np.max(np.abs(self), axis=dim if dim and self.ndim else None, keepdims=keepdim)
        if p == np.inf
        else np.min(np.abs(self), axis=dim if dim and self.ndim else None, keepdims=keepdim)
        if p == -np.inf
        else np.sum(np.abs(self) ** (p or 2), axis=dim if dim and self.ndim else None, keepdims=keepdim)
        ** (1 / (p or 2))
    )


def sum_to_size(self, size):
    return np.sum(self, tuple(range(self.ndim - len(size)))).sum(
        tuple(d for d in range(len(size)) if size[d] == 1), keepdims=True
    )


def var_mean_dim(self, dim, unbiased, keepdim):
    return (
        np.var(self, axis=dim if dim and self.ndim else None, keepdims=keepdim, ddof=int(unbiased)),
        np.mean(self, axis=dim if dim and self.ndim else None, keepdims=keepdim),
    )


def var_mean_correction(self, dim, correction, keepdim):
    return (
        np.var(
            self,
            axis=dim if dim and self.ndim else None,
            keepdims=keepdim,
            ddof=1 if correction is None else correction,
        ),
        np.mean(self, axis=dim if dim and self.ndim else None, keepdims=keepdim),
    )


def std_mean_dim(self, dim, unbiased, keepdim):
    return (
        np.std(self, axis=dim if dim and self.ndim else None, keepdims=keepdim, ddof=int(unbiased)),
        np.mean(self, axis=dim if dim and self.ndim else None, keepdims=keepdim),
    )


def std_mean_correction(self, dim, correction, keepdim):
    return (
        np.std(
            self,
            axis=dim if dim and self.ndim else None,
            keepdims=keepdim,
            ddof=1 if correction is None else correction,
        ),
        np.mean(self, axis=dim if dim and self.ndim else None, keepdims=keepdim),
    )


def aminmax(self, dim, keepdim):
    return (
        np.min(self, axis=dim if self.ndim else None, keepdims=keepdim),
        np.max(self, axis=dim if self.ndim else None, keepdims=keepdim),
    )


def var_backward(grad_output, self, dim, correction):
    axes = tuple(dim) if dim else tuple(range(self.ndim))
    count = self.size / np.size(grad_output)
    return 2 * (self - np.mean(self, axes, keepdims=True)) * np.expand_dims(grad_output, axes) / (count - correction)


def std_backward(grad_output, self, deviation, dim, correction):
    axes = tuple(dim)
    count = self.size / np.size(grad_output)
    away = self - np.mean(self, axes, keepdims=True)
    shares = np.where(deviation == 0, 0, grad_output / np.where(deviation == 0, 1, deviation))
    return away * np.expand_dims(shares, axes) / (count - correction)


def amax_backward(grad_output, self, extreme, dim):
    extremes = np.expand_dims(extreme, tuple(dim))
    chosen = (self == extremes) | (np.isnan(self) & np.isnan(extremes))
    return chosen * np.expand_dims(grad_output, tuple(dim)) / np.sum(chosen, tuple(dim), keepdims=True)


def norm_backward(grad_output, self, length, p, dim):
    axes = tuple(dim)
    signed = np.sign(self) * np.expand_dims(grad_output, axes)
    chosen = np.abs(self) == np.max(np.abs(self), axes, keepdims=True)
    powers = np.power(np.abs(self) / np.expand_dims(length, axes), p - 1)
    return signed * (0 if p == 0 else chosen / np.sum(chosen, axes, keepdims=True) if p == np.inf else powers)


def logsumexp_backward(grad_output, self, total, dim):
    totals = np.expand_dims(total, tuple(dim))
    infinite = np.isposinf(self) & np.isposinf(totals)
    shares = np.exp(self - np.where(np.isinf(totals), 0, totals))
    alike = infinite / np.maximum(np.sum(infinite, tuple(dim), keepdims=True), 1)
    return np.where(np.isposinf(totals), alike, shares) * np.expand_dims(grad_output, tuple(dim))


def nansum_backward(grad_output, self, dim):
    return np.where(np.isnan(self), 0, np.expand_dims(grad_output, tuple(dim)))
