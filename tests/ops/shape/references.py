"""References of shapes, joining and indexing."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.loss.references import transposed


def squeeze(self: Any, dim: Any = None) -> Any:
    """Without the dimensions of size 1, or those of them that are named."""
    named = range(self.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = {d % max(self.ndim, 1) for d in named}
    return self.reshape([n for i, n in enumerate(self.shape) if i not in gone or n != 1])


def flatten(self: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from start to end made one."""
    ndim = max(self.ndim, 1)
    start, end = start_dim % ndim, end_dim % ndim
    shape = self.shape or (1,)
    return self.reshape((*shape[:start], int(np.prod(shape[start : end + 1])), *shape[end + 1 :]))


def expand(self: Any, size: Any) -> Any:
    """Broadcast; -1 keeps a size."""
    own = (None,) * (len(size) - self.ndim) + self.shape
    return np.broadcast_to(self, [o if n == -1 else n for n, o in zip(size, own, strict=True)])


def sliced(self: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """x[start:end:step] in one dimension."""
    return self[(slice(None),) * (dim % self.ndim) + (slice(start, end, step),)]


def narrow(self: Any, dim: int, start: int, length: int) -> Any:
    """`length` elements from `start`."""
    start = start + self.shape[dim] if start < 0 else start
    return sliced(self, dim, start, start + length)


def as_strided(self: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """The elements of the flat array at offset + index . stride."""
    index = sum((np.indices(size)[i] * s for i, s in enumerate(stride)), start=np.int64(storage_offset or 0))
    return self.reshape(-1)[np.broadcast_to(index, size)]


def split(self: Any, split_size: Any, dim: int = 0) -> Any:
    """Pieces of one size, or of given sizes."""
    if isinstance(split_size, int):
        return tuple(np.split(self, range(split_size, self.shape[dim], split_size), dim))
    return tuple(np.split(self, np.cumsum(split_size)[:-1], dim))


def roll(self: Any, shifts: Any, dims: Any = None) -> Any:
    """Elements that leave at one end come back at the other."""
    return np.roll(self, shifts, axis=None if dims is None else tuple(np.atleast_1d(dims)))


def pad(self: Any, pad: list[int], value: float = 0) -> Any:
    """Padded, or cropped where negative; the last dimension's pair comes first."""
    for i, (low, high) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        axis = self.ndim - 1 - i
        widths = [(0, 0)] * self.ndim
        widths[axis] = (max(low, 0), max(high, 0))
        self = np.pad(self, widths, constant_values=value)
        self = sliced(self, axis, max(-low, 0), self.shape[axis] - max(-high, 0))
    return self


def key_of(indices: Any) -> Any:
    """The NumPy key for a list of index arrays and None."""
    return tuple(slice(None) if index is None else index for index in indices)


def index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """x with values written to, or added at, x[indices]."""
    result = self.copy()
    if accumulate:
        np.add.at(result, key_of(indices), values)
    else:
        result[key_of(indices)] = values
    return result


def index_add(self: Any, dim: int, index: Any, source: Any, alpha: float = 1) -> Any:
    """x with slices of the source added at the indices."""
    return index_put(self, [None] * (dim % self.ndim) + [index], alpha * source if alpha != 1 else source, True)


def scatter(self: Any, dim: int, index: Any, src: Any = None, value: Any = None, add: bool = False) -> Any:
    """x with src[i, j] written to, or added at, x[index[i, j], j]."""
    result = np.atleast_1d(self.copy())
    index = np.atleast_1d(index)
    for position in np.ndindex(*index.shape):
        target = list(position)
        target[dim] = index[position]
        found = value if src is None else np.atleast_1d(src)[position]
        result[tuple(target)] = result[tuple(target)] + found if add else found
    return result.reshape(self.shape)


def gather(self: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    """x[index[i, j], j]."""
    result = np.empty(index.shape, self.dtype)
    for position in np.ndindex(*index.shape):
        source = list(position)
        if source:
            source[dim] = index[position]
        result[position] = self[tuple(source)]
    return result


def unflatten(self: Any, dim: int, sizes: list[int]) -> Any:
    """One dimension as several."""
    dim = dim % self.ndim
    count = self.shape[dim] // max(-int(np.prod(sizes)), 1)
    return self.reshape((*self.shape[:dim], *(count if n == -1 else n for n in sizes), *self.shape[dim + 1 :]))


def restride(self: Any, stride: Any, offset: int, to_size: Any, to_stride: Any, to_offset: int) -> Any:
    """The elements added into storage by one layout, and read by another."""
    storage = np.zeros(100, self.dtype)
    for position in np.ndindex(*self.shape):
        storage[offset + sum(i * s for i, s in zip(position, stride, strict=True))] += self[position]
    return as_strided(storage, to_size, to_stride, to_offset)


SHAPES: dict[str, Callable[..., Any]] = {
    "view": lambda self, size: self.reshape(size),
    "reshape": lambda self, shape: self.reshape(shape),
    "view_as": lambda self, other: self.reshape(other.shape),
    "reshape_as": lambda self, other: self.reshape(other.shape),
    "flatten": flatten,
    "ravel": lambda self: self.reshape(-1),
    "unflatten": unflatten,
    "movedim": lambda self, source, destination: np.moveaxis(self, source, destination),
    "broadcast_to": expand,
    "repeat": lambda self, repeats: np.tile(self, repeats),
    "tile": lambda self, dims: np.tile(self, dims),
    "diag": lambda self, diagonal=0: np.diag(self, diagonal),
    "trace": lambda self: np.trace(self),
    "restride": restride,
    "select_backward": lambda grad_output, input_sizes, dim, index: transposed(
        lambda x: np.take(x, index, dim), input_sizes, grad_output
    ),
    "slice_backward": lambda grad_output, input_sizes, **k: transposed(
        lambda x: sliced(x, **k), input_sizes, grad_output
    ),
    "diagonal_backward": lambda grad_output, input_sizes, offset, dim1, dim2: transposed(
        lambda x: np.diagonal(x, offset, dim1, dim2), input_sizes, grad_output
    ),
    "index_backward": lambda grad_output, input_sizes, indices: transposed(
        lambda x: x[key_of(indices)], input_sizes, grad_output
    ),
    "transpose": lambda self, dim0, dim1: np.swapaxes(self, dim0, dim1) if self.ndim else self,
    "permute": lambda self, dims: np.transpose(self, dims),
    "t": lambda self: self.T,
    "squeeze": squeeze,
    "unsqueeze": lambda self, dim: np.expand_dims(self, dim),
    "expand": expand,
    "expand_as": lambda self, other: np.broadcast_to(self, other.shape),
    "select": lambda self, dim, index: np.take(self, index, dim),
    "slice": sliced,
    "narrow": narrow,
    "as_strided": as_strided,
    "diagonal": lambda self, offset=0, dim1=0, dim2=1: np.diagonal(self, offset, dim1, dim2),
    "unbind": lambda self, dim=0: tuple(np.moveaxis(self, dim, 0)),
    "split": split,
    "chunk": lambda self, chunks, dim=0: (
        split(self, -(-self.shape[dim] // chunks), dim) if self.shape[dim] else (self,) * chunks
    ),
    "cat": lambda tensors, dim=0: np.concatenate([t for t in tensors if t.shape != (0,)], dim),
    "stack": lambda tensors, dim=0: np.stack(tensors, dim),
    "flip": lambda self, dims: np.flip(self, tuple(dims)) if self.ndim else self,
    "roll": roll,
    "triu": lambda self, diagonal=0: np.triu(self, diagonal),
    "tril": lambda self, diagonal=0: np.tril(self, diagonal),
    "constant_pad_nd": pad,
    "clone": lambda self: self.copy(),
    "_to_copy": lambda self: self.copy(),
    "index": lambda self, indices: self[key_of(indices)],
    "index_put": index_put,
    "index_select": lambda self, dim, index: np.take(self, index, dim) if self.ndim else self.reshape(index.shape)[0],
    "index_add": index_add,
    "gather": gather,
    "scatter": scatter,
    "scatter_add": lambda self, dim, index, src: scatter(self, dim, index, src, add=True),
    "masked_select": lambda self, mask: np.broadcast_arrays(self, mask)[0][np.broadcast_arrays(self, mask)[1]],
    "nonzero": lambda self: np.argwhere(self),
    "nonzero.as_tuple": lambda self, as_tuple: np.nonzero(np.atleast_1d(self)),
}
