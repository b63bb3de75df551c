"""Indices as vectors: rows of a table, or one-hot."""

from __future__ import annotations

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.batching import level_of
from ...runtime.creation import arange, zeros
from ...runtime.dispatch import checks
from ...runtime.errors import DtypeError, RefusedValueError
from ...runtime.functions.planned import ONE_HOT
from ...runtime.modes.intercept import watch
from ...runtime.modes.overrides.classes import known
from ...runtime.ops.embedding.checks import require_sparse_gradient
from ...runtime.ops.embedding.formulas import limited_rows, rows_with_sparse_gradient
from ...runtime.tensor.dtypes import int64


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of weight that input names.

    Args:
        input: indices, int64 or int32.
        weight: the table.
        padding_idx: a row that gets no gradient; negative ones count from the end.
        max_norm: rows that are used are first scaled, in place, to at most this norm.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide the gradient of each row by how often input names it.
        sparse: whether the gradient of weight is sparse: the rows that input names.

    Shape:
        Input any, weight (rows, features); the output is of input's shape and one more dimension, features.

    Raises:
        IndexError: an index outside the table.
        ValueError: padding_idx outside the table.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.embedding(sg.tensor([1, 0]), sg.tensor([[0.0, 1.0], [2.0, 3.0]]))
        tensor([[2., 3.],
                [0., 1.]])
    """
    checks.tensor("embedding", "input", input)
    checks.tensor("embedding", "weight", weight)
    checks.boolean("embedding", "sparse", sparse)
    if max_norm is not None:
        max_norm = checks.floating("embedding", "max_norm", max_norm)
        limited_rows(weight, input, max_norm, norm_type)
    padding = _padding_row(weight, padding_idx)
    if sparse:
        require_sparse_gradient("embedding", "sum", scale_grad_by_freq)
        return rows_with_sparse_gradient(weight, input, padding)
    return ops.embedding(weight, input, padding, scale_grad_by_freq)


def _padding_row(weight: Tensor, padding_idx: int | None) -> int:
    """The row counted from the front; -1 for none."""
    if padding_idx is None:
        return -1
    padding_idx = checks.integer("embedding", "padding_idx", padding_idx)
    rows = weight.shape[0] if weight.ndim else 0
    if not -rows <= padding_idx < rows:
        raise RefusedValueError(
            f"embedding(): Padding_idx must be within num_embeddings: expected [-{rows}, {rows}), got {padding_idx}"
        )
    return padding_idx % rows


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the index that each element of tensor names, 0 elsewhere.

    Args:
        tensor: indices, int64.
        num_classes: the size of the new last dimension; one more than the largest index when left out.

    Shape:
        Tensor any; the output is of its shape and one more dimension of size num_classes.

    Raises:
        RuntimeError: a dtype other than int64, an index below 0 or not below num_classes.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.one_hot(sg.tensor([1, 0]), num_classes=3)
        tensor([[0, 1, 0],
                [1, 0, 0]])
    """
    if not watch.every and (result := ONE_HOT.launch(tensor, num_classes)) is not None:
        return result
    num_classes = checks.integer("one_hot", "num_classes", num_classes)
    if checks.tensor("one_hot", "tensor", tensor).dtype is not int64:
        raise DtypeError(f"one_hot(): expected an index tensor of dtype int64, got {tensor.dtype.name}")
    if not tensor.numel():
        if num_classes < 1:
            raise RuntimeError("one_hot(): cannot infer the number of classes from an empty tensor")
    elif num_classes == -1 or not (level_of(tensor) or tensor.is_meta):  # which cannot be asked for their values
        if num_classes == -1 and not watch.every:
            result = ONE_HOT.launch(tensor, int(tensor.max()) + 1)  # None, too, where one is negative
            if result is not None:
                return result
        num_classes = _number_of_classes(tensor, num_classes)
    if not watch.every and tensor.__class__ in known and tensor.is_cpu and not level_of(tensor):
        ONE_HOT.remember((tensor, num_classes), (tensor, num_classes))
    if level_of(tensor):  # and cannot be written to memory that all of them share
        return (tensor.unsqueeze(-1) == arange(num_classes, device=tensor.device)).to(int64)
    return zeros(*tensor.shape, num_classes, dtype=int64, device=tensor.device).scatter_(-1, tensor.unsqueeze(-1), 1)


def _number_of_classes(tensor: Tensor, stated: int) -> int:
    """The size of the new dimension: as stated, or for -1 one more than the largest index."""
    smallest, largest = int(tensor.min()), int(tensor.max())
    if smallest < 0:
        raise RuntimeError(f"one_hot(): Class values must be non-negative, got {smallest}")
    if -1 != stated <= largest:
        raise RuntimeError(f"one_hot(): Class values must be smaller than num_classes={stated}, got {largest}")
    return largest + 1 if stated == -1 else stated
