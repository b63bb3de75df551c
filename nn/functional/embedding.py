"""Indices as vectors, rows of a table or one-hot; and sums and the like of pieces of a tensor."""

from typing import Any

from ...generated import ops
from ...generated.ops import repeat_interleave, scatter_reduce
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import DtypeError, RefusedValueError
from ...runtime.extensions.vmap import level_of
from ...runtime.ops.creation import arange, full, zeros
from ...runtime.ops.embedding.checks import require_sparse_gradient
from ...runtime.ops.embedding.formulas import limited_rows, rows_with_sparse_gradient
from ...runtime.ops.numeric.fast_calls import ONE_HOT
from ...runtime.tensor.dtypes import int64
from ...runtime.tensor.observers import watch
from ...runtime.tensor.overrides import known


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

    Shape: Input any, weight (rows, features); the output is of input's shape and one more dimension, features.

    Raises:
        IndexError: an index outside the table.
        ValueError: padding_idx outside the table.

    Example:
        >>> sg.nn.functional.embedding(sg.tensor([1, 0]), sg.tensor([[0.0, 1.0], [2.0, 3.0]]))
        tensor([[2., 3.],
                [0., 1.]])
    """
    argument_checks.tensor("embedding", "input", input)
    argument_checks.tensor("embedding", "weight", weight)
    argument_checks.boolean("embedding", "sparse", sparse)
    if max_norm is not None:
        max_norm = argument_checks.floating("embedding", "max_norm", max_norm)
        limited_rows(weight, input, max_norm, norm_type)
    padding = _padding_row(weight, padding_idx)
    if sparse:
        require_sparse_gradient("embedding", "sum", scale_grad_by_freq)
        return rows_with_sparse_gradient(weight, input, padding)
    return ops.embedding(weight, input, padding, scale_grad_by_freq)


def _padding_row(weight: Tensor, padding_idx: int | None) -> int:
    if padding_idx is None:
        return -1
    padding_idx = argument_checks.integer("embedding", "padding_idx", padding_idx)
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

    Shape: Tensor any; the output is of its shape and one more dimension of size num_classes.

    Raises: RuntimeError: a dtype other than int64, an index below 0 or not below num_classes.

    Example:
        >>> sg.nn.functional.one_hot(sg.tensor([1, 0]), num_classes=3)
        tensor([[0, 1, 0],
                [1, 0, 0]])
    """
    if not watch.every and (result := ONE_HOT.launch(tensor, num_classes)) is not None:
        return result
    num_classes = argument_checks.integer("one_hot", "num_classes", num_classes)
    if argument_checks.tensor("one_hot", "tensor", tensor).dtype is not int64:
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
    smallest, largest = int(tensor.min()), int(tensor.max())
    if smallest < 0:
        raise RuntimeError(f"one_hot(): Class values must be non-negative, got {smallest}")
    if -1 != stated <= largest:
        raise RuntimeError(f"one_hot(): Class values must be smaller than num_classes={stated}, got {largest}")
    return largest + 1 if stated == -1 else stated


_NAMES = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}
_EMPTY = {"sum": 0.0, "mean": float("nan"), "prod": 1.0, "max": float("-inf"), "min": float("inf")}


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Tensor:
    """The sum, mean, product, maximum or minimum of each of several pieces along a dimension.

    Args:
        data: the values.
        reduce: 'sum', 'mean', 'prod', 'max' or 'min'.
        lengths: how long the pieces are.
        indices: must be None.
        offsets: where the pieces begin, and where the last one ends, instead of `lengths`.
        axis: the dimension; those before it are dimensions of `lengths` too.
        unsafe: has no effect: lengths are always checked.
        initial: where each piece begins to be reduced, and the result of an empty one.

    Shape: Data (*, N, **) and lengths (*, pieces); the output is (*, pieces, **).

    Raises: RuntimeError: neither lengths nor offsets are given, they do not add up to N, or the word is another one.

    Example:
        >>> segment_reduce(sg.tensor([1.0, 2.0, 4.0]), "sum", lengths=sg.tensor([2, 0, 1]))
        tensor([3., 0., 4.])
    """
    if reduce not in _NAMES:
        raise RuntimeError(f"segment_reduce(): unsupported reduction {reduce!r}: expected one of {', '.join(_NAMES)}")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    sizes = lengths if lengths is not None else offsets.diff(dim=-1)  # type: ignore[union-attr]
    axis %= data.dim()
    if (sizes < 0).any() or (sizes.sum(-1) != data.shape[axis]).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
            "!unsafe."
        )
    return _reduced(data, reduce, sizes, axis, initial)


def _reduced(data: Tensor, reduce: str, sizes: Tensor, axis: int, initial: Any) -> Tensor:
    """All pieces at once: those of each row of sizes one behind the other along one dimension."""
    rest, pieces = data.shape[axis + 1 :], sizes.numel()
    flat = data.reshape(-1, *rest)
    piece = repeat_interleave(arange(pieces, device=data.device), sizes.reshape(-1))
    index = piece.reshape(-1, *(1 for _ in rest)).expand(flat.shape)
    start = {"mean": 0.0}.get(reduce, _EMPTY[reduce]) if initial is None else initial
    begun = full((pieces, *rest), start, dtype=data.dtype, device=data.device)
    result = scatter_reduce(begun, 0, index, flat, _NAMES[reduce])
    if reduce == "mean":
        counts = sizes.reshape(-1, *(1 for _ in rest))
        result = (result / counts.clamp(min=1)).where(counts > 0, _EMPTY["mean"] if initial is None else initial)
    return result.reshape(*sizes.shape, *rest)
