"""LayoutMethods: from strided tensors to sparse ones and back, and what a sparse tensor consists of.

What they do is loaded when one is first called.
"""

from typing import Any

from ...tensor.memory_format import sparse_coo, sparse_csc, sparse_csr, strided
from ...tensor.tensor import TensorBase

_COORDINATES = "sparse coordinate tensor"
_ROWS, _COLUMNS = "sparse row compressed tensor", "sparse column compressed tensor"
_BACKENDS = {"strided": "Strided", "sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}


def _require(tensor: Any, name: str, what: str, *layouts: Any) -> Any:
    if tensor.layout not in layouts:
        raise RuntimeError(f"{name} expected {what} layout but got {_BACKENDS[tensor.layout.name]}")
    return tensor


_SPARSE = (sparse_coo, sparse_csr, sparse_csc)


class LayoutMethods(TensorBase):
    """to_sparse, to_dense, and the parts of sparse tensors."""

    __slots__ = ()

    def to_sparse(
        self, sparse_dims: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: Any = None
    ) -> Any:
        """The tensor with its elements that are not zero only.

        Args:
            sparse_dims: in how many of the first dimensions places are listed; all when not given. Or the layout.
            layout: `sparse_coo`, `sparse_csr` or `sparse_csc`; by coordinates when not given.
            blocksize: must be None.
            dense_dim: how many of the last dimensions are dense, in the place of `sparse_dims`.

        Example:
            >>> import specgrad as sg
            >>> sg.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
            tensor(indices=tensor([[0],
                                   [1]]),
                   values=tensor([2.]),
                   size=(2, 2), nnz=1, layout=specgrad.sparse_coo)
        """
        from .convert import in_layout

        if blocksize is not None:
            raise NotImplementedError("to_sparse(): there are no layouts of blocks")
        if sparse_dims is not None and not isinstance(sparse_dims, int):
            sparse_dims, layout = None, sparse_dims
        if dense_dim is not None:
            sparse_dims = len(self._shape) - dense_dim
        return in_layout(self, sparse_coo if layout is None else layout, sparse_dims)

    def to_sparse_coo(self) -> Any:
        """`to_sparse` by coordinates."""
        return self.to_sparse()

    def to_sparse_csr(self, dense_dim: int | None = None) -> Any:
        """`to_sparse` of a matrix, row by row; `dense_dim` is None or 0."""
        return self.to_sparse(layout=sparse_csr)

    def to_sparse_csc(self, dense_dim: int | None = None) -> Any:
        """`to_sparse` of a matrix, column by column; `dense_dim` is None or 0."""
        return self.to_sparse(layout=sparse_csc)

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
        """The strided tensor with all elements; itself if it is strided.

        Args:
            dtype: the element type; the tensor's own when not given.
            masked_grad: accepted; the gradient of a sparse tensor has its places.

        Example:
            >>> import specgrad as sg
            >>> sg.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (4,)).to_dense()
            tensor([1., 0., 2., 0.])
        """
        if self.layout is strided:  # type: ignore[attr-defined]
            return self if dtype is None else self.to(dtype)  # type: ignore[attr-defined]
        from .convert import to_dense

        return to_dense(self, dtype)

    def sparse_mask(self, mask: Any) -> Any:
        """The elements at the places that a sparse tensor keeps.

        Args:
            mask: the sparse tensor, of the same shape.

        Example:
            >>> import specgrad as sg
            >>> sg.tensor([1.0, 2.0, 3.0]).sparse_mask(sg.sparse_coo_tensor([[0, 2]], [1.0, 1.0])).to_dense()
            tensor([1., 0., 3.])
        """
        from .convert import masked_like

        return masked_like(self, mask)

    def coalesce(self) -> Any:
        """The `sparse_coo` tensor with its places in order, and values at one place added up; itself if it is so."""
        _require(self, "coalesce", _COORDINATES, sparse_coo)
        from .graph import coalesced

        return coalesced(self)

    def is_coalesced(self) -> bool:
        """Whether the places of a `sparse_coo` tensor are known to be in order, each of them once."""
        return bool(_require(self, "is_coalesced", _COORDINATES, sparse_coo).pattern.is_coalesced)

    def _coalesced_(self, coalesced: bool) -> Any:
        """Say whether the places of a sparse tensor are in order, each of them once."""
        sparse = _require(self, "_coalesced_", _COORDINATES, sparse_coo)
        pattern = sparse.pattern
        sparse.pattern = type(pattern)(pattern.layout, pattern.index, pattern.shape, pattern.sparse_dims, coalesced)
        return sparse

    def indices(self) -> Any:
        """The places of a coalesced sparse tensor, of shape (sparse dimensions, number of values).
        Raises RuntimeError: the layout is not `sparse_coo`, or the tensor is not coalesced.
        """
        if not _require(self, "indices", _COORDINATES, sparse_coo).is_coalesced():
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._indices()

    def values(self) -> Any:
        """The values of a sparse tensor, through which gradients pass.
        Raises RuntimeError: the tensor is strided, or has coordinates and is not coalesced.
        """
        if _require(self, "values", "sparse tensor", *_SPARSE).layout is sparse_coo and not self.is_coalesced():
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        from .graph import values_of

        return values_of(self)

    def _indices(self) -> Any:
        return _require(self, "_indices", _COORDINATES, sparse_coo).pattern.index[0]

    def _values(self) -> Any:
        return _require(self, "_values", "sparse tensor", *_SPARSE).elements

    def _nnz(self) -> int:
        return int(_require(self, "_nnz", "sparse tensor", *_SPARSE).pattern.count)

    def _dimI(self) -> int:
        return self.sparse_dim()

    def _dimV(self) -> int:
        return self.dense_dim()

    def crow_indices(self) -> Any:
        """Where each row of a `sparse_csr` matrix begins, and where the last one ends."""
        return _require(self, "crow_indices", _ROWS, sparse_csr).pattern.index[0]

    def col_indices(self) -> Any:
        """The column of each value of a `sparse_csr` matrix."""
        return _require(self, "col_indices", _ROWS, sparse_csr).pattern.index[1]

    def ccol_indices(self) -> Any:
        """Where each column of a `sparse_csc` matrix begins, and where the last one ends."""
        return _require(self, "ccol_indices", _COLUMNS, sparse_csc).pattern.index[0]

    def row_indices(self) -> Any:
        """The row of each value of a `sparse_csc` matrix."""
        return _require(self, "row_indices", _COLUMNS, sparse_csc).pattern.index[1]

    def sparse_dim(self) -> int:
        """In how many dimensions places are listed: 0 for a strided tensor."""
        return 0 if self.layout is strided else int(self.pattern.sparse_dims)  # type: ignore[attr-defined]

    def dense_dim(self) -> int:
        """How many dimensions one value has."""
        return len(self._shape) - self.sparse_dim()

    def sparse_resize_(self, size: Any, sparse_dim: int, dense_dim: int) -> Any:
        """Give a sparse tensor another shape, `size`, with `sparse_dim` and `dense_dim` dimensions of each kind.
        Raises RuntimeError: places or values of the tensor are not part of it.
        """
        from .create import resize

        return resize(_require(self, "sparse_resize_", _COORDINATES, sparse_coo), size, sparse_dim, dense_dim, False)

    def sparse_resize_and_clear_(self, size: Any, sparse_dim: int, dense_dim: int) -> Any:
        """Forget the elements, and `sparse_resize_` to `size` with `sparse_dim` and `dense_dim`."""
        from .create import resize

        return resize(
            _require(self, "sparse_resize_and_clear_", _COORDINATES, sparse_coo), size, sparse_dim, dense_dim, True
        )

    def smm(self, mat: Any) -> Any:
        """The product of a sparse matrix and a strided one, `mat`, as a sparse one."""
        return self.mm(mat).to_sparse()  # type: ignore[attr-defined]

    def _new_sparse(self, data: tuple[Any, ...], device: Any) -> Any:
        from .create import new

        return new(self, data, device)

    def _resize_sparse_as(self, template: Any) -> Any:
        from .create import resize_as_

        return resize_as_(self, template)
