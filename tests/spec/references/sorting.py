"""References of the section sorting of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def sort(self, dim, descending):
    return (
        (lambda places: (np.take_along_axis(self, places, dim), places))(
            np.argsort(-1.0 * self if descending else self, dim, kind="stable")
        )
        if self.ndim
        else (self, 0)
    )


def topk(self, k, dim, largest):
    return (
        (lambda places: (np.take_along_axis(self, places, dim), places))(
            np.take(np.argsort(-self if largest else self, dim, kind="stable"), range(k), dim)
        )
        if self.ndim
        else (self, 0)
    )


def kthvalue(self, k, dim, keepdim):
    return (
        (
            lambda places: (
                np.take_along_axis(self, places, dim).squeeze(() if keepdim else dim),
                places.squeeze(() if keepdim else dim),
            )
        )(np.take(np.argsort(self, dim, kind="stable"), [k - 1], dim))
        if self.ndim
        else (self, 0)
    )


def median_dim(self, dim, keepdim):
    return (
        (
            lambda places: (
                np.take_along_axis(self, places, dim).squeeze(() if keepdim else dim),
                places.squeeze(() if keepdim else dim),
            )
        )(
            np.where(
                np.any(np.isnan(self), dim, keepdims=True),
                np.argmax(np.isnan(self), dim, keepdims=True),
                np.take(np.argsort(self, dim, kind="stable"), [(self.shape[dim] - 1) // 2], dim),
            )
        )
        if self.ndim
        else (self, 0)
    )


def nanmedian(self):
    return (
        (lambda known: known[(len(known) - 1) // 2])(np.sort(self[~np.isnan(self)]))
        if not np.all(np.isnan(self))
        else np.nan
    )


def nanmedian_dim(self, dim, keepdim):
    return (
        (
            lambda places: (
                np.take_along_axis(self, places, dim).squeeze(() if keepdim else dim),
                places.squeeze(() if keepdim else dim),
            )
        )(
            np.take_along_axis(
                np.argsort(self, dim, kind="stable"),
                np.maximum(np.sum(~np.isnan(self), dim, keepdims=True) - 1, 0) // 2,
                dim,
            )
        )
        if self.ndim
        else (self, 0)
    )


def quantiles(self, q, dim, keepdim, interpolation, skip_nan):
    return (
        np.nanquantile(self, q, dim, method=interpolation, keepdims=keepdim)
        if skip_nan
        else np.quantile(self, q, dim, method=interpolation, keepdims=keepdim)
    )


def at_ranks(ordered, rank, interpolation):
    return np.stack(
        [
            np.interp(
                r
                if interpolation == "linear"
                else np.floor(r)
                if interpolation == "lower"
                else np.ceil(r)
                if interpolation == "higher"
                else np.rint(r)
                if interpolation == "nearest"
                else np.floor(r) / 2 + np.ceil(r) / 2,
                range(len(row)),
                row,
            )
            for row, r in zip(ordered, rank)
        ]
    )


def histogram_bins_tensor(self, bins, weight, density):
    found = np.histogram(self, bins, weights=weight, density=density)
    return (found[0] * 1.0, found[1])


def histogram_bin_ct(self, bins, range, weight, density):
    found = np.histogram(self, bins, range, weights=weight, density=density)
    return (found[0] * 1.0, found[1])


def searchsorted_tensor(sorted_sequence, self, right, side, sorter):
    return (
        np.searchsorted(sorted_sequence, self, "right" if right or side == "right" else "left", sorter)
        if sorted_sequence.ndim == 1
        else np.stack(
            [
                np.searchsorted(row, x, "right" if right or side == "right" else "left", None if sorter is None else s)
                for row, x, s in zip(sorted_sequence, self, sorted_sequence if sorter is None else sorter)
            ]
        )
    )


def searchsorted_indices(sorted_sequence, self, right, sorter):
    return (
        np.searchsorted(sorted_sequence, self, "right" if right else "left", sorter)
        if sorted_sequence.ndim == 1
        else np.stack(
            [
                np.searchsorted(row, x, "right" if right else "left", None if sorter is None else s)
                for row, x, s in zip(sorted_sequence, self, sorted_sequence if sorter is None else sorter)
            ]
        )
    )


def unique_consecutive(self, return_inverse, return_counts, dim):
    x = self.ravel() if dim is None else self
    d = dim or 0
    new = np.array([not i or not np.array_equal(x.take(i, d), x.take(i - 1, d)) for i in range(x.shape[d])], int)
    return tuple(
        part
        for part, with_function_modes in zip(
            (
                x.take(np.flatnonzero(new), d),
                (np.cumsum(new) - 1).reshape(self.shape if dim is None else -1),
                np.diff([*np.flatnonzero(new), len(new)]),
            ),
            (True, return_inverse, return_counts),
        )
        if with_function_modes
    )


def distinct(self, dim, runs, return_index):
    x = self.ravel() if dim is None else self
    d = dim or 0
    keys = [tuple(x.take(i, d).ravel()) for i in range(x.shape[d])]
    found = (
        (
            [i for i, new in enumerate(keys) if not i or new != keys[i - 1]],
            np.cumsum([i > 0 and new != keys[i - 1] for i, new in enumerate(keys)], dtype=int),
        )
        if runs
        else (
            [keys.index(key) for key in sorted(dict.fromkeys(keys))],
            np.array([sorted(dict.fromkeys(keys)).index(key) for key in keys], int),
        )
    )
    first = found[0]
    which = found[1]
    return (
        (
            x.take(first, d),
            which.reshape(self.shape if dim is None else -1),
            np.array([sum(which == i) for i in range(len(first))], int),
        )
        if return_index
        else (x.take(first, d), None, None)
    )
