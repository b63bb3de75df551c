"""References of ops that exist only in place, of membership, and of results of a stated size."""

from collections.abc import Callable
from typing import Any

import numpy as np


def fill_diagonal(self: Any, fill_value: float, wrap: bool = False) -> Any:
    """NumPy's, which wraps square matrices too, where there is nothing to wrap."""
    result = self.copy()
    if result.size:
        np.fill_diagonal(result, fill_value, wrap and self.ndim == 2)
    return result


def is_among(one: Any, others: Any, invert: bool = False) -> Any:
    """Each compared with each."""
    found = (np.asarray(one)[..., None] == np.asarray(others).reshape(-1)).any(-1)
    return ~found if invert else found


def positions(self: Any, size: int, fill_value: int = -1) -> Any:
    """Rows of indices, cut off or filled up."""
    found = np.argwhere(self)[:size]
    return np.concatenate([found, np.full((size - len(found), self.ndim), fill_value)])


def orthogonal(packed: Any, tau: Any) -> Any:
    """The product of all reflections I - tau v v^H, each a matrix."""
    q = np.broadcast_to(np.eye(packed.shape[-2]), (*packed.shape[:-2], *[packed.shape[-2]] * 2)).astype(packed.dtype)
    for i in range(tau.shape[-1]):
        v = packed[..., i].copy()
        v[..., :i], v[..., i] = 0, 1
        q = q - tau[..., i, None, None] * (q @ v[..., None]) * v.conj()[..., None, :]
    return q


def transposed(self: Any, input2: Any, input3: Any, left: bool = True, transpose: bool = False) -> Any:
    """The other matrix times that product."""
    q = orthogonal(self, input2)
    q = q.conj().swapaxes(-1, -2) if transpose else q
    return q @ input3 if left else input3 @ q


FORMS: dict[str, Callable[..., Any]] = {
    "fill_diagonal_": fill_diagonal,
    "float_power_": lambda self, exponent: self**exponent,
    "conj_physical": lambda self: np.conj(self),
    "resolve_conj": lambda self: self,
    "resolve_neg": lambda self: self,
    "isin.Tensor_Tensor": lambda elements, test_elements, invert=False: is_among(elements, test_elements, invert),
    "isin.Tensor_Scalar": lambda elements, test_element, invert=False: is_among(elements, test_element, invert),
    "isin.Scalar_Tensor": lambda elements, test_elements, invert=False: is_among(elements, test_elements, invert),
    "nonzero_static": positions,
    "unsafe_chunk": lambda self, chunks, dim=0: tuple(np.array_split(self, chunks, dim)),
    "unsafe_split": lambda self, split_size, dim=0: tuple(
        np.split(self, range(split_size, self.shape[dim], split_size), dim)
    ),
    "unsafe_split_with_sizes": lambda self, split_sizes, dim=0: tuple(np.split(self, np.cumsum(split_sizes)[:-1], dim)),
    "ormqr": transposed,
}
