"""References of joining, splitting, turning and combining."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from tests.ops.loss.references import transposed

from .references import narrow


def windows(self: Any, dimension: int, size: int, step: int) -> Any:
    """The windows of `size` places, `step` apart, with their places in the last dimension."""
    if not self.ndim:
        return np.full((size,), self)
    found = np.lib.stride_tricks.sliding_window_view(self, size, dimension)
    return found[(slice(None),) * (dimension % self.ndim) + (slice(None, None, step),)]


def rows_of(positions: Any, self: Any, r: int) -> Any:
    """Rows of the elements at places."""
    return self[np.array(list(positions), dtype=np.int64).reshape(-1, r)] if r else self[:0]


def combinations(self: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All choices of r elements."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return rows_of(choose(range(len(self)), r), self, r)


def on_diagonal(self: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The last dimension on a diagonal of two new ones."""
    size = self.shape[-1] + abs(offset)
    result = np.zeros((*self.shape[:-1], size, size), self.dtype)
    for i in range(self.shape[-1]):
        result[..., i + max(-offset, 0), i + max(offset, 0)] = self[..., i]
    return np.moveaxis(result, (-2, -1), (dim1, dim2))


def block_diag(tensors: Any) -> Any:
    """SciPy's, in the common dtype."""
    return linalg.block_diag(*tensors).astype(np.result_type(*tensors))


def repeat(self: Any, repeats: Any, dim: int | None = None) -> Any:
    """Elements, or slices, one after the other."""
    return np.repeat(self, repeats, dim)


def split_dimension(self: Any) -> int:
    """The dimension that hsplit cuts."""
    return 1 if self.ndim > 1 else 0


JOINING: dict[str, Callable[..., Any]] = {
    "atleast_1d": lambda self: np.atleast_1d(self),
    "atleast_2d": lambda self: np.atleast_2d(self),
    "atleast_3d": lambda self: np.atleast_3d(self),
    "hstack": lambda tensors: np.hstack(tensors),
    "vstack": lambda tensors: np.vstack(tensors),
    "dstack": lambda tensors: np.dstack(tensors),
    "column_stack": lambda tensors: np.column_stack(tensors),
    "tensor_split.sections": lambda self, sections, dim=0: tuple(np.array_split(self, sections, dim)),
    "tensor_split.tensor_indices_or_sections": lambda self, tensor_indices_or_sections, dim=0: tuple(
        np.array_split(self, tensor_indices_or_sections, dim)
    ),
    "tensor_split.indices": lambda self, indices, dim=0: tuple(np.array_split(self, indices, dim)),
    "hsplit.int": lambda self, sections: tuple(np.split(self, sections, split_dimension(self))),
    "hsplit.indices": lambda self, indices: tuple(np.split(self, indices, split_dimension(self))),
    "vsplit.int": lambda self, sections: tuple(np.split(self, sections)),
    "vsplit.indices": lambda self, indices: tuple(np.split(self, indices)),
    "dsplit.int": lambda self, sections: tuple(np.split(self, sections, 2)),
    "dsplit.indices": lambda self, indices: tuple(np.split(self, indices, 2)),
    "narrow_copy": narrow,
    "fliplr": lambda self: np.fliplr(self),
    "flipud": lambda self: np.flipud(self),
    "rot90": lambda self, k=1, dims=(0, 1): np.rot90(self, k, dims),
    "repeat_interleave.Tensor": lambda repeats, output_size=None: np.repeat(np.arange(repeats.size), repeats),
    "repeat_interleave": repeat,
    "meshgrid": lambda tensors, indexing="ij": tuple(np.meshgrid(*tensors, indexing=indexing)),
    "cartesian_prod": lambda tensors: np.array(list(itertools.product(*tensors))) if len(tensors) > 1 else tensors[0],
    "combinations": combinations,
    "block_diag": block_diag,
    "diag_embed": on_diagonal,
    "diagflat": lambda self, offset=0: np.diagflat(self, offset),
    "vander": lambda x, N=None, increasing=False: np.vander(x, N, increasing),
    "adjoint": lambda self: np.conj(np.swapaxes(self, -2, -1)) if self.ndim else np.conj(self),
    "unfold": windows,
    "unfold_backward": lambda grad_output, input_sizes, dim, length, step: transposed(
        lambda x: windows(x, dim, length, step), input_sizes, grad_output
    ),
}
