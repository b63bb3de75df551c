"""The functions of `specgrad.sparse`: products, sums and softmax; and rows of a table whose gradient is sparse."""

from collections.abc import Callable
from typing import Any

from ...autograd.function import Function
from ...errors import type_name
from ...extension_points import fill
from ...namespace import op
from ...shapes import dim_of
from ...tensor.dtypes import dtype as Dtype
from ...tensor.dtypes import int64
from ...tensor.tensor import host_array
from .convert import in_layout, row_and_column
from .create import sparse_coo_tensor
from .dispatch import has_pattern
from .graph import added_up, coalesced, of, values_of
from .pattern import by_coordinates, in_order
from .rules_elementwise import summed_over

REDUCTIONS = ("sum", "mean", "amax", "amin")


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """C_ij = sum_k A_ik B_kj: the product of two matrices, of which one or both may be sparse.

    Args:
        mat1, mat2: the matrices; the product of two sparse ones is sparse.
        reduce: "sum", "mean", "amax" or "amin" of the products for the values that a row of `mat1` keeps.

    Raises:
        RuntimeError: sizes that do not go together.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_coo_tensor([[0, 1], [1, 0]], [2.0, 3.0], requires_grad=True)
        >>> y = sg.sparse.mm(x, sg.tensor([[1.0], [10.0]]))
        >>> y.sum().backward()
        >>> x.grad.to_dense()
        tensor([[ 0., 10.],
                [ 1.,  0.]])
    """
    if reduce is None or reduce == "sum":
        return op.mm(mat1, mat2)
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"mm(): expected reduce to be one of {', '.join(REDUCTIONS)}, but got {reduce!r}")
    row, column = row_and_column(_sparse("mm", mat1))
    terms = values_of(mat1).unsqueeze(1) * mat2.index_select(0, column)
    start = terms.new_zeros((mat1.shape[0], mat2.shape[1]))
    return op.index_reduce(start, 0, row, terms, reduce, include_self=False)


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """beta M + alpha A B, with a sparse matrix A.

    Args:
        mat: what is added, of the product's shape.
        mat1, mat2: the factors.
        beta, alpha: numbers.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_coo_tensor([[0, 1], [1, 0]], [2.0, 3.0])
        >>> sg.sparse.addmm(sg.ones(2, 1), x, sg.tensor([[1.0], [10.0]]), beta=0.5)
        tensor([[20.5000],
                [ 3.5000]])
    """
    return op.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sampled_addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None) -> Any:
    """beta S + alpha (A B), where S keeps elements; the product is computed at these places only.

    Args:
        input: the sparse matrix S.
        mat1, mat2: strided matrices.
        beta, alpha: numbers.
        out: must be None.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse_csr()
        >>> sg.sparse.sampled_addmm(x, sg.ones(2, 3), sg.ones(3, 2)).to_dense()
        tensor([[0., 4.],
                [5., 0.]])
    """
    sparse = _sparse("sampled_addmm", input)
    if out is not None:
        raise NotImplementedError("sampled_addmm(): out= takes no sparse tensors: assign the result instead")
    row, column = row_and_column(sparse)
    result = op.coordinate_sampled(mat1, row, mat2.t().contiguous(), column) * alpha
    return of(sparse.pattern, result if beta == 0 else result + values_of(sparse) * beta)


def sum(input: Any, dim: Any = None, dtype: Dtype | None = None) -> Any:
    """The sum over some dimensions: sparse while one of those that are left is.

    Args:
        input: the sparse tensor.
        dim: an int or several; all dimensions when not given.
        dtype: that of the result.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_coo_tensor([[0, 1, 1], [1, 0, 1]], [2.0, 3.0, 4.0])
        >>> sg.sparse.sum(x)
        tensor(9.)
        >>> sg.sparse.sum(x, 0).to_dense()
        tensor([3., 6.])
    """
    return summed_over(_sparse("sum", input), dim, False, dtype)


def softmax(input: Any, dim: int, *, dtype: Dtype | None = None) -> Any:
    """exp(x) / sum(exp(x)) along dim over the elements that are kept: the others count as minus infinity.

    Args:
        input: the sparse tensor.
        dim: the dimension.
        dtype: that of the result.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_coo_tensor([[0, 1, 1], [1, 0, 1]], [2.0, 3.0, 3.0])
        >>> sg.sparse.softmax(x, 1).to_dense()
        tensor([[0.0000, 1.0000],
                [0.5000, 0.5000]])
    """
    return _softmax("softmax", input, dim, dtype, lambda shifted, powers, total: powers / total)


def log_softmax(input: Any, dim: int, *, dtype: Dtype | None = None) -> Any:
    """x - log(sum(exp(x))) along dim over the elements that are kept; arguments as of `sparse.softmax`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_coo_tensor([[0, 1, 1], [1, 0, 1]], [2.0, 3.0, 3.0])
        >>> sg.sparse.log_softmax(x, 1).to_dense()
        tensor([[ 0.0000,  0.0000],
                [-0.6931, -0.6931]])
    """
    return _softmax("log_softmax", input, dim, dtype, lambda shifted, powers, total: shifted - total.log())


def _softmax(name: str, input: Any, dim: int, dtype: Any, combine: Callable[[Any, Any, Any], Any]) -> Any:
    """An op of values less the largest of their group, of the powers of e of these, and of the sum of those."""
    sparse, dim, values = _along(name, input, dim, dtype)
    if dim >= sparse.pattern.sparse_dims:
        return of(sparse.pattern, getattr(op, name)(values, dim - sparse.pattern.sparse_dims + 1))
    group, count = _groups(sparse.pattern, dim)
    shifted = values - _largest(values, group, count)
    powers = shifted.exp()
    return of(sparse.pattern, combine(shifted, powers, added_up(powers, group, count).index_select(0, group)))


def _along(name: str, input: Any, dim: int, dtype: Any) -> tuple[Any, int, Any]:
    sparse = coalesced(_sparse(name, input))
    if not sparse.is_sparse:
        raise NotImplementedError(
            f"sparse.{name}(): expected layout sparse_coo, but got {sparse.layout}: use to_sparse()"
        )
    dim, values = dim_of(f"sparse.{name}", dim, len(sparse._shape)), values_of(sparse)
    return sparse, dim, values if dtype is None else values.to(dtype)


def _groups(pattern: Any, dim: int) -> tuple[Any, int]:
    """For each value the number of those that it is compared with, which differ in one dimension only; how many."""
    others = [d for d in range(pattern.sparse_dims) if d != dim]
    left, numbers = in_order(pattern.coordinates[others], [pattern.shape[d] for d in others])
    return pattern.on_device(numbers), left.shape[1]


def _largest(values: Any, group: Any, count: int) -> Any:
    """The largest value of each one's group, outside the graph: the result does not depend on it."""
    plain = values.detach()
    start = plain.new_full((count, *plain.shape[1:]), float("-inf"))
    return op.index_reduce(start, 0, group, plain, "amax").index_select(0, group)


def _sparse(name: str, value: Any) -> Any:
    if not has_pattern(value):
        result = f"a strided one of shape {list(value.shape)}" if hasattr(value, "shape") else type_name(value)
        raise RuntimeError(f"sparse.{name}(): expected a sparse tensor, but got {result}")
    return value


def spdiags(diagonals: Any, offsets: Any, shape: tuple[int, int], layout: Any = None) -> Any:
    """The sparse matrix with the given diagonals.

    Args:
        diagonals: a row for each; column j of the matrix has its element j.
        offsets: which diagonals, above 0 to the right of the main one; each once.
        shape: that of the matrix.
        layout: that of the result; `sparse_coo` when not given.

    Raises:
        RuntimeError: offsets that do not go with the diagonals, or are not unique.

    Example:
        >>> import specgrad as sg
        >>> sg.sparse.spdiags(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([0, 1]), (2, 2)).to_dense()
        tensor([[1., 4.],
                [0., 2.]])
    """
    rows, length = diagonals.reshape(-1, diagonals.shape[-1]), diagonals.shape[-1]
    shifts = offsets.reshape(-1)
    if len(shifts) != len(rows) or len(set(shifts.tolist())) != len(rows):
        raise RuntimeError(f"spdiags(): expected an offset of its own for each of {len(rows)} diagonals")
    number, column = op.where(rows.new_zeros(rows.shape) == 0)
    row = column - shifts.index_select(0, number)
    nonzero_mask = (row >= 0) & (row < shape[0]) & (column < min(length, shape[1]))
    result = sparse_coo_tensor(
        op.stack([row[nonzero_mask], column[nonzero_mask]]), rows[number[nonzero_mask], column[nonzero_mask]], shape
    )
    return result if layout is None else in_layout(result, layout)


class RowsOf(Function):
    """The rows of a table that indices name, as `embedding` gives them."""

    @staticmethod
    def forward(ctx: Any, table: Any, index: Any, padding: int) -> Any:
        """The rows; `padding` is one without a gradient, -1 for none."""
        ctx.index, ctx.shape, ctx.padding = index.detach(), table._shape, padding
        return op.embedding(table, index)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        index, values = ctx.index.reshape(-1).to(int64), grad.reshape(-1, ctx.shape[1])
        if ctx.padding >= 0:
            nonzero_mask = index != ctx.padding
            index, values = index[nonzero_mask], values[nonzero_mask]
        flat_indices = host_array(index).reshape(1, -1)
        return of(by_coordinates(flat_indices, ctx.shape, grad.device, flat_indices.size < 2), values), None, None


def rows_of(table: Any, index: Any, padding: int = -1) -> Any:
    """The rows of a table that indices name; its gradient is sparse."""
    return RowsOf.apply(table, index, padding)


fill("sparse_rows", rows_of)
