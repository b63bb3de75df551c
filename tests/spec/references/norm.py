"""References of the section norm of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def renorm(self, p, dim, maxnorm):
    size = np.sum(np.abs(self) ** p, tuple(d for d in range(self.ndim) if d != dim % self.ndim), keepdims=True) ** (
        1 / p
    )
    return self * np.where(size > maxnorm, maxnorm / (size + 1e-7), 1)


def standardize(self, weight, bias, dim, affine_shape, eps):
    m = np.mean(self, dim, keepdims=True)
    v = np.var(self, dim, keepdims=True)
    return (
        (self - m) / np.sqrt(v + eps) * (1 if weight is None else weight.reshape(affine_shape))
        + (0 if bias is None else bias.reshape(affine_shape)),
        m if self.size else None,
        v if self.size else None,
    )


def standardize_rows(self, weight, bias, dim, eps):
    m = np.mean(self, tuple(dim), keepdims=True)
    r = 1 / np.sqrt(np.var(self, tuple(dim), keepdims=True) + eps)
    return (
        (self - m) * r * (1 if weight is None else weight) + (0 if bias is None else bias),
        np.squeeze(m, tuple(dim)),
        np.squeeze(r, tuple(dim)),
    )


def standardize_groups(self, weight, bias, groups, eps):
    x = self.reshape(len(self), groups, -1)
    shape = [-1 if d == 1 else 1 for d in range(self.ndim)]
    m = np.mean(x, -1, keepdims=True)
    v = np.var(x, -1, keepdims=True)
    return (
        ((x - m) / np.sqrt(v + eps)).reshape(self.shape) * (1 if weight is None else weight.reshape(shape))
        + (0 if bias is None else bias.reshape(shape)),
        *[s.reshape(-1, groups, 1, 1) if self.size else None for s in (m, v)],
    )


def normalize_by(self, mean, var, weight, bias, eps):
    found = [
        np.array(0.0 if each is None else each).reshape([-1 if d == 1 else 1 for d in range(self.ndim)])
        for each in (mean, var, np.ones(len(mean)) if weight is None else weight, bias)
    ]
    m = found[0]
    v = found[1]
    w = found[2]
    b = found[3]
    return (self - m) / np.sqrt(v + eps) * w + b


def normalize_rms(self, weight, dim, eps):
    scale1 = 1 / np.sqrt(np.mean(self**2, tuple(dim), keepdims=True) + eps)
    return (self * scale1 * (1 if weight is None else weight), np.squeeze(scale1, tuple(dim)))


def standardize_rows_backward(grad_output, self, weight, center, scale, dim):
    dims = tuple(dim)
    rest = tuple(range(self.ndim - len(dim)))
    scales = np.expand_dims(scale, dims)
    normal = (self - np.expand_dims(center, dims)) * scales
    weighted = grad_output * (1 if weight is None else weight)
    inner = weighted - np.mean(weighted, dims, keepdims=True) - normal * np.mean(weighted * normal, dims, keepdims=True)
    return inner * scales, np.sum(grad_output * normal, rest), np.sum(grad_output, rest)


def normalize_rms_backward(grad_output, self, weight, scale, dim):
    dims = tuple(dim)
    rest = tuple(range(self.ndim - len(dim)))
    scales = np.expand_dims(scale, dims)
    normal = self * scales
    weighted = grad_output * (1 if weight is None else weight)
    inner = weighted - normal * np.mean(weighted * normal, dims, keepdims=True)
    return inner * scales, np.sum(grad_output * normal, rest)
