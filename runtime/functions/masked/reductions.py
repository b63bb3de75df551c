"""Sums, products, extremes, norms and logsumexp of the elements that a mask keeps."""

from __future__ import annotations

from typing import Any

from ...dispatch import checks
from ...namespace import op
from .masks import constant, dimensions, flag, highest_value, inf, lowest_value, masked_input, result_dtype, sum_dtype


def sum(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The sum of the elements that the mask keeps; 0 where there are none.

    Args:
        input: a tensor.
        dim: the dimension or dimensions that are reduced; all by default.
        keepdim: whether reduced dimensions stay, with size 1.
        dtype: the dtype of the result.
        mask: True where an element counts; it broadcasts to the input. All of them by default.

    Raises:
        IndexError: a mask of more dimensions than the input, or a dimension that there is not.
        RuntimeError: the mask does not broadcast, or a dimension is named twice.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.sum(sg.tensor([[1, 2], [3, 4]]), 1, mask=sg.tensor([[True, False], [False, False]]))
        tensor([1, 0])
    """
    x = masked_input("sum", input, mask, constant(0))
    dims, kind = dimensions("sum", dim, x.ndim), sum_dtype("sum", dtype, x._dtype)
    return op.sum(x, dims, flag("sum", keepdim), dtype=kind) if dims else x.to(kind)


def prod(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The product of the elements that the mask keeps, arguments as of `masked.sum`; 1 where there are none.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.prod(sg.tensor([[1, 2], [3, 4]]), 1, mask=sg.tensor([[True, True], [False, False]]))
        tensor([2, 1])
    """
    x = masked_input("prod", input, mask, constant(1))
    stays = flag("prod", keepdim)
    result = x.to(sum_dtype("prod", dtype, x._dtype))
    for d in reversed(dimensions("prod", dim, x.ndim)):
        result = op.prod(result, d, stays)
    return result


def amax(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The greatest of the elements that the mask keeps, arguments as of `masked.sum`.

    Where there are none it is -inf, or the least integer of the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.amax(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mask=sg.tensor([[True, False], [False, False]]))
        tensor([1., -inf])
    """
    x = masked_input("amax", input, mask, lowest_value("amax"))
    result = op.amax(x, dimensions("amax", dim, x.ndim), flag("amax", keepdim))
    return result.to(result_dtype("amax", dtype, x._dtype))


def amin(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The least of the elements that the mask keeps, arguments as of `masked.sum`.

    Where there are none it is inf, or the greatest integer of the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.amin(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mask=sg.tensor([[False, True], [False, False]]))
        tensor([2., inf])
    """
    x = masked_input("amin", input, mask, highest_value("amin"))
    result = op.amin(x, dimensions("amin", dim, x.ndim), flag("amin", keepdim))
    return result.to(result_dtype("amin", dtype, x._dtype))


def argmax(input: Any, dim: int | None = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the greatest of the elements lies that the mask keeps, the first place; 0 where there are none.

    Args:
        input: a tensor of real numbers.
        dim: the dimension that is reduced; by default the flattened tensor is looked at.
        keepdim: whether reduced dimensions stay, with size 1.
        dtype: the dtype to which indices are converted: that of the input by default, as in PyTorch.
        mask: True where an element counts; it broadcasts to the input. All of them by default.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.argmax(sg.tensor([4, 9, 7]), mask=sg.tensor([True, False, True]))
        tensor(2)
    """
    return _arg_reduction("argmax", input, dim, keepdim, dtype, mask)


def argmin(input: Any, dim: int | None = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the least of the elements lies that the mask keeps, arguments as of `masked.argmax`.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.argmin(sg.tensor([4, 1, 3]), mask=sg.tensor([True, False, True]))
        tensor(2)
    """
    return _arg_reduction("argmin", input, dim, keepdim, dtype, mask)


def _arg_reduction(name: str, input: Any, dim: Any, keepdim: Any, dtype: Any, mask: Any) -> Any:
    x = masked_input(name, input, mask, lowest_value(name) if name == "argmax" else highest_value(name))
    index = getattr(op, name)(x, dim, flag(name, keepdim))
    return index.to(result_dtype(name, dtype, x._dtype))


def logsumexp(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """log(sum(exp(x))) of the elements that the mask keeps, arguments as of `masked.sum`; -inf where there are none.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.logsumexp(sg.tensor([0.0, 0.0, 50.0]), 0, mask=sg.tensor([True, True, False]))
        tensor(0.6931)
    """
    x = masked_input("logsumexp", input, mask, lowest_value("logsumexp"))
    result = op.logsumexp(x, dimensions("logsumexp", dim, x.ndim), flag("logsumexp", keepdim))
    return result.to(result_dtype("logsumexp", dtype, x._dtype))


def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    """log(exp(x) + exp(y)), in which an element that its mask leaves out counts as -inf.

    Args:
        input: x, a tensor.
        other: y, a tensor; shapes broadcast.
        dtype: the dtype of the result, by default that of `input`.
        input_mask: True where an element of `input` counts.
        other_mask: True where an element of `other` counts.

    Example:
        >>> import specgrad as sg
        >>> x, y = sg.tensor([0.0, 1.0]), sg.tensor([0.0, 5.0])
        >>> sg.masked.logaddexp(x, y, other_mask=sg.tensor([True, False]))
        tensor([0.6931, 1.0000])
    """
    x = masked_input("logaddexp", input, input_mask, lowest_value("logaddexp"), "input_mask")
    y = masked_input(
        "logaddexp", checks.tensor("logaddexp", "other", other), other_mask, lowest_value("logaddexp"), "other_mask"
    )
    return op.logaddexp(x, y).to(result_dtype("logaddexp", dtype, x._dtype))


def norm(
    input: Any, ord: float | None = 2.0, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None
) -> Any:
    """sum(|x|^ord)^(1 / ord) of the elements that the mask keeps, arguments as of `masked.sum`; 0 where there are none.

    Args:
        ord: the order, inf and -inf too: the greatest and the least modulus.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.norm(sg.tensor([3.0, 9.0, 4.0]), mask=sg.tensor([True, False, True]))
        tensor(5.)
    """
    x = checks.tensor("norm", "input", input)
    order = checks.floating("norm", "ord", ord)
    x = masked_input("norm", x, mask, constant(inf if order == -inf else 0))
    dims = dimensions("norm", dim, x.ndim)
    return op.linalg_vector_norm(x, order, dims, flag("norm", keepdim), dtype=result_dtype("norm", dtype, x._dtype))
