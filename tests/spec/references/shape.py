"""References of the section shape of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import math

import numpy as np


def flatten(self, start_dim, end_dim):
    first = start_dim % (self.ndim or 1)
    last = end_dim % (self.ndim or 1)
    return self.reshape(*self.shape[:first], math.prod(self.shape[first : last + 1]), *self.shape[last + 1 :])


def cartesian_prod(tensors):
    return np.stack([grid.ravel() for grid in np.meshgrid(*tensors, indexing="ij")], -1).squeeze(
        () if len(tensors) > 1 else 1
    )


def combinations(self, r, with_replacement):
    return (
        np.array(
            [
                self[list(p)]
                for p in np.ndindex(*[len(self) for k in range(r)])
                if all(a < b or with_replacement and a == b for a, b in zip(p, p[1:]))
            ]
        )
        .reshape(-1, r)
        .astype(self.dtype)
        if r
        else self[:0]
    )


def adjoint(self):
    transposed = np.swapaxes(self, -1, -2) if self.ndim else self
    return np.conj(transposed) if transposed.dtype.kind == "c" else transposed


def unfold(self, dimension, size, step):
    return (
        np.stack(
            [
                np.moveaxis(np.take(self, range(i, i + size), dimension), dimension, -1)
                for i in range(0, self.shape[dimension] - size + 1, step)
            ],
            dimension % self.ndim,
        )
        if self.ndim
        else self.reshape(-1)[:size]
    )


def unfold_backward(grad_output, input_sizes, dim, length, step):
    return (
        np.moveaxis(
            np.tensordot(
                np.moveaxis(grad_output, dim, -2),
                (np.arange(grad_output.shape[dim]) * step)[:, None, None] + np.arange(length)[:, None]
                == np.arange(input_sizes[dim]),
                2,
            ),
            -1,
            dim,
        ).astype(grad_output.dtype)
        if input_sizes
        else grad_output[0]
    )


def slice_backward(grad_output, input_sizes, dim, start, end, step):
    return np.moveaxis(
        np.tensordot(grad_output, np.eye(input_sizes[dim], dtype=bool)[start:end:step], (dim, 0)), -1, dim
    )


def narrow(self, dim, start, length):
    return np.take(
        self,
        range(
            start % (self.shape[dim] + 1) if start >= 0 else start % self.shape[dim],
            (start if start >= 0 else start % self.shape[dim]) + length,
        ),
        dim,
    )


def restride(self, stride, offset, to_size, to_stride, to_offset):
    places = lambda shape, steps, first: sum((i * n for i, n in zip(np.indices(shape), steps)), np.full(shape, first))
    return (
        places(to_size, to_stride, to_offset)[..., None] == places(self.shape, stride, offset).ravel()
    ) @ self.ravel()


def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    found = np.indices((input_sizes[dim1], input_sizes[dim2]))
    i = found[0]
    j = found[1]
    return np.moveaxis(
        np.tensordot(
            grad_output, (j - i == offset) & (np.minimum(i, j) == np.arange(grad_output.shape[-1])[:, None, None]), 1
        ),
        (-2, -1),
        (dim1, dim2),
    )


def chunk(self, chunks, dim):
    return (
        (lambda size: tuple(np.split(self, range(size, self.shape[dim], size), dim)))(-(-self.shape[dim] // chunks))
        if self.shape[dim]
        else tuple(self for each in range(chunks))
    )


def unsafe_chunk(self, chunks, dim):
    size = -(-self.shape[dim] // chunks)
    return tuple(np.split(self, range(size, self.shape[dim], size), dim))


def constant_pad_nd(self, pad, value):
    pairs = [(0, 0) for d in range(self.ndim - len(pad) // 2)] + list(zip(pad[-2::-2], pad[::-2]))
    return np.pad(
        self[tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(self.shape, pairs))],
        [(max(a, 0), max(b, 0)) for a, b in pairs],
        constant_values=value,
    )


def im2col(self, kernel_size, dilation, padding, stride):
    size = tuple(
        (n + 2 * a - d * (k - 1) - 1) // s + 1
        for n, a, d, k, s in zip(self.shape[-2:], padding, dilation, kernel_size, stride)
    )
    return np.einsum(
        "...q,pkq->...kp",
        self.reshape(*self.shape[:-2], np.prod(self.shape[-2:])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(stride, at, dilation, tap, padding, place)
                        )
                        for place in np.ndindex(self.shape[-2:])
                    ]
                    for tap in np.ndindex(kernel_size)
                ]
                for at in np.ndindex(size)
            ]
        ),
    ).reshape(*self.shape[:-3], self.shape[-3] * np.prod(kernel_size), np.prod(size))


def col2im(self, output_size, kernel_size, dilation, padding, stride):
    return np.einsum(
        "...kp,pkq->...q",
        self.reshape(*self.shape[:-2], -1, np.prod(kernel_size), self.shape[-1]),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(stride, at, dilation, tap, padding, place)
                        )
                        for place in np.ndindex(output_size)
                    ]
                    for tap in np.ndindex(kernel_size)
                ]
                for at in np.ndindex(
                    tuple(
                        (n + 2 * a - d * (k - 1) - 1) // s + 1
                        for n, a, d, k, s in zip(output_size, padding, dilation, kernel_size, stride)
                    )
                )
            ]
        ),
    ).reshape(*self.shape[:-2], -1, *output_size)
