"""Functions whose names begin with `_` in PyTorch, which libraries call all the same."""

from __future__ import annotations

from typing import Any

from ..creation.data import tensor
from ..dispatch import checks
from ..namespace import op
from ..tensor.dtypes import int64


def _assert_async(input: Any, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Raise an error where a tensor of one element is zero; it is looked at at once, also on a device.

    Args:
        input: the tensor.
        assert_msg: the message.

    Raises:
        RuntimeError: it is zero.
    """
    if not bool(checks.tensor("_assert_async", "input", input)):
        raise RuntimeError(assert_msg)


def _shape_as_tensor(input: Any) -> Any:
    """The sizes of a tensor as a tensor of int64.

    Args:
        input: the tensor.
    """
    return tensor(list(checks.tensor("_shape_as_tensor", "input", input)._shape), dtype=int64)


def _convert_indices_from_coo_to_csr(input: Any, size: int, *, out_int32: bool = False) -> Any:
    """Where each row begins, of the rows of elements in order.

    Args:
        input: the row of each element.
        size: the number of rows.
        out_int32: whether the result is int32.
    """
    starts = op.searchsorted(input, op.arange(size + 1, device=input.device, dtype=input.dtype))
    return starts.int() if out_int32 else starts


def _convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: bool = False, transpose: bool = False
) -> Any:
    """The row and the column of each element, of where each row begins.

    Args:
        crow_indices: where each row begins, and where the last one ends.
        col_indices: the column of each element.
        out_int32: whether the result is int32.
        transpose: whether columns come first.
    """
    count = crow_indices.shape[0] - 1
    rows = op.repeat_interleave(op.arange(count, device=col_indices.device), crow_indices.diff())
    pair = (col_indices.to(rows.dtype), rows) if transpose else (rows, col_indices.to(rows.dtype))
    result = op.stack(pair)
    return result.int() if out_int32 else result
