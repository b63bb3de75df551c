"""References of the section scan of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def logcumsumexp(self, dim):
    return (
        np.stack(
            [scipy.special.logsumexp(np.take(self, range(i + 1), dim), axis=dim) for i in range(self.shape[dim])], dim
        )
        if self.size and self.ndim
        else self
    )


def linear_recurrence(self, factor, dim, reverse):
    return (
        (
            lambda x, f: np.moveaxis(
                np.linalg.solve(
                    np.eye(x.shape[-1]) - f[..., None] * np.eye(x.shape[-1], k=1 if reverse else -1), x[..., None]
                )[..., 0],
                -1,
                dim,
            )
        )(np.moveaxis(self, dim, -1), np.moveaxis(factor, dim, -1))
        if self.ndim
        else self
    )


def cummax(self, dim):
    return (
        (
            np.maximum.accumulate(self, dim),
            np.stack(
                [
                    (
                        lambda part: (
                            i
                            - np.argmax(np.flip((part == np.max(part, dim, keepdims=True)) | np.isnan(part), dim), dim)
                        )
                    )(np.take(self, range(i + 1), dim))
                    for i in range(self.shape[dim])
                ],
                dim,
            ),
        )
        if self.size and self.ndim
        else (self, np.zeros(self.shape, int))
    )


def cummin(self, dim):
    return (
        (
            np.minimum.accumulate(self, dim),
            np.stack(
                [
                    (
                        lambda part: (
                            i
                            - np.argmax(np.flip((part == np.min(part, dim, keepdims=True)) | np.isnan(part), dim), dim)
                        )
                    )(np.take(self, range(i + 1), dim))
                    for i in range(self.shape[dim])
                ],
                dim,
            ),
        )
        if self.size and self.ndim
        else (self, np.zeros(self.shape, int))
    )
