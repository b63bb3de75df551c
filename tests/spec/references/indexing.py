"""References of the section indexing of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import math

import numpy as np


def index_backward(grad_output, input_sizes, indices):
    every = np.arange(math.prod(input_sizes)).reshape(input_sizes)
    places = every[tuple(slice(None) if i is None else i for i in indices)]
    return np.tensordot(
        np.broadcast_to(grad_output, places.shape), places[..., None] == every.ravel(), places.ndim
    ).reshape(input_sizes)


def index_put(self, indices, values, accumulate):
    at = np.arange(self.size).reshape(self.shape)[tuple(slice(None) if i is None else i for i in indices)].ravel()
    v = np.broadcast_to(values, self[tuple(slice(None) if i is None else i for i in indices)].shape).ravel()
    return np.array(
        [
            (x if accumulate else 0) + sum(v[at == i]) if accumulate else v[at == i][-1] if i in at else x
            for i, x in enumerate(self.ravel())
        ],
        self.dtype,
    ).reshape(self.shape)


def index_add(self, dim, index, source, alpha):
    return (
        self + alpha * np.moveaxis(np.tensordot(np.arange(self.shape[dim])[:, None] == index, source, (1, dim)), 0, dim)
    ).astype(self.dtype)


def gather(self, dim, index):
    return (
        np.take_along_axis(
            self[tuple(slice(n) if d != dim % self.ndim else slice(None) for d, n in enumerate(index.shape))],
            index,
            dim,
        )
        if self.ndim
        else self[index * 0 if index.ndim else ()]
    )


def scatter_src(self, dim, index, src):
    new = dict(
        zip(
            np.ravel_multi_index(
                [index if d == dim % self.ndim else g for d, g in enumerate(np.indices(index.shape))], self.shape
            ).ravel(),
            src[tuple(slice(n) for n in index.shape)].ravel(),
        )
    )
    return np.array([new.get(i, x) for i, x in enumerate(self.ravel())], self.dtype).reshape(self.shape)


def scatter_value(self, dim, index, value):
    new = dict(
        zip(
            np.ravel_multi_index(
                [index if d == dim % self.ndim else g for d, g in enumerate(np.indices(index.shape))], self.shape
            ).ravel(),
            np.full(index.shape, value).ravel(),
        )
    )
    return np.array([new.get(i, x) for i, x in enumerate(self.ravel())], self.dtype).reshape(self.shape)


def scatter_add(self, dim, index, src):
    return (
        self
        + np.tensordot(
            src[tuple(slice(n) for n in index.shape)].ravel(),
            np.ravel_multi_index(
                [index if d == dim % self.ndim else g for d, g in enumerate(np.indices(index.shape))], self.shape
            ).ravel()[:, None]
            == np.arange(self.size),
            1,
        ).reshape(self.shape)
    ).astype(self.dtype)


def put(self, index, source, accumulate):
    return np.array(
        [
            x + sum(source.ravel()[at]) if accumulate else source.ravel()[at][-1] if at.any() else x
            for x, at in zip(self.ravel(), [index.ravel() % self.size == i for i in range(self.size)])
        ],
        self.dtype,
    ).reshape(self.shape)


def take_along_dim(self, indices, dim):
    return (
        np.take(self, indices.ravel())
        if dim is None
        else np.take_along_axis(
            self,
            np.broadcast_to(
                indices,
                [n if d == dim % self.ndim else max(m, n) for d, (m, n) in enumerate(zip(self.shape, indices.shape))],
            ),
            dim,
        )
    )


def index_copy(self, dim, index, source):
    return (
        np.stack(
            [
                np.take(source, list(index).index(i), dim) if i in index else np.take(self, i, dim)
                for i in range(self.shape[dim])
            ],
            dim,
        )
        if self.ndim
        else source
    )


def index_fill_int_scalar(self, dim, index, value):
    return (
        np.where(
            np.expand_dims(
                np.isin(np.arange(self.shape[dim]), index % self.shape[dim]),
                [d for d in range(self.ndim) if d != dim % self.ndim],
            ),
            value,
            self,
        ).astype(self.dtype)
        if self.ndim
        else self * 0 + value
    )


def index_fill_int_tensor(self, dim, index, value):
    return (
        np.where(
            np.expand_dims(
                np.isin(np.arange(self.shape[dim]), index % self.shape[dim]),
                [d for d in range(self.ndim) if d != dim % self.ndim],
            ),
            value,
            self,
        ).astype(self.dtype)
        if self.ndim
        else self * 0 + value
    )


def scatter_reduce_two(self, dim, index, src, reduce, include_self):
    places = np.ravel_multi_index(
        [index if d == dim % self.ndim else g for d, g in enumerate(np.indices(index.shape))], self.shape
    ).ravel()
    parts = src[tuple(slice(n) for n in index.shape)].ravel()
    reduced = dict(
        sum=np.sum,
        prod=np.prod,
        amax=np.max,
        amin=np.min,
        mean=np.mean if self.dtype.kind in "fc" else lambda x: sum(x) // len(x),
    )[reduce]
    return np.reshape(
        [reduced([*[x][not include_self and c in places :], *parts[places == c]]) for c, x in enumerate(self.ravel())],
        self.shape,
    ).astype(self.dtype)


def scatter_src_reduce(self, dim, index, src, reduce):
    sums = self.copy()
    return (
        (np.add if reduce == "add" else np.multiply).at(
            sums,
            tuple(index if d == dim % self.ndim else g for d, g in enumerate(np.indices(index.shape))),
            src[tuple(slice(n) for n in index.shape)],
        ),
        sums,
    )[1]


def scatter_value_reduce(self, dim, index, value, reduce):
    sums = self.copy()
    return (
        (np.add if reduce == "add" else np.multiply).at(
            sums,
            tuple(index if d == dim % self.ndim else g for d, g in enumerate(np.indices(index.shape))),
            np.array(value).astype(self.dtype),
        ),
        sums,
    )[1]


def index_reduce(self, dim, index, source, reduce, include_self):
    found = np.atleast_1d(self, source, index)
    x = found[0]
    rows = found[1]
    at = found[2]
    reduced = dict(
        prod=np.prod,
        amax=np.max,
        amin=np.min,
        mean=np.mean if self.dtype.kind in "fc" else lambda x, axis: sum(x) // len(x),
    )[reduce]
    return (
        np.stack(
            [
                reduced(
                    [
                        *[x.take(i, dim)][not include_self and i in at :],
                        *(rows.take(k, dim) for k in np.flatnonzero(at == i)),
                    ],
                    0,
                )
                for i in range(x.shape[dim])
            ],
            dim,
        )
        .reshape(self.shape)
        .astype(self.dtype)
    )


def order_of_true(mask, lead):
    rows = mask.reshape(math.prod(mask.shape[:lead]), math.prod(mask.shape[lead:]))
    return np.reshape([[sum(row[:k]) * row[k] for k in range(len(row))] for row in rows.astype(int)], mask.shape)


def masked_written(self, mask, source):
    return (
        np.where(
            mask,
            source.ravel()[
                np.minimum(np.cumsum(np.broadcast_to(mask, self.shape)).reshape(self.shape) - 1, source.size - 1)
            ],
            self,
        )
        if source.size
        else self
    )


def masked_scatter(self, mask, source):
    return (
        np.where(
            mask,
            source.ravel()[
                np.minimum(np.cumsum(np.broadcast_to(mask, self.shape)).reshape(self.shape) - 1, source.size - 1)
            ],
            self,
        )
        if source.size
        else self
    )


def slice_scatter(self, src, dim, start, end, step):
    return np.stack(
        [
            np.take(src, range(self.shape[dim])[start:end:step].index(i), dim)
            if i in range(self.shape[dim])[start:end:step]
            else np.take(self, i, dim)
            for i in range(self.shape[dim])
        ],
        dim,
    )


def diagonal_scatter(self, src, offset, dim1, dim2):
    found = np.indices((self.shape[dim1], self.shape[dim2]))
    i = found[0]
    j = found[1]
    return np.moveaxis(
        np.where(
            j - i == offset, src.take(np.minimum(i, j), -1, mode="clip"), np.moveaxis(self, (dim1, dim2), (-2, -1))
        ),
        (-2, -1),
        (dim1, dim2),
    ).astype(self.dtype)


def as_strided_scatter(self, src, size, stride, storage_offset):
    x = self.copy()
    return (
        np.put(x, sum((i * n for i, n in zip(np.indices(size), stride)), np.full(size, storage_offset or 0)), src),
        x,
    )[1]


def fill_diagonal_(self, fill_value, wrap):
    filled = self.copy()
    return (np.fill_diagonal(filled, fill_value, wrap), filled)[1]
