"""Means, medians and variances of the elements that a mask keeps."""

from __future__ import annotations

from typing import Any

from ...dispatch import checks
from ...namespace import op
from ...tensor.dtypes import dtype as Dtype
from ...tensor.dtypes import float32
from .masks import constant, count, dimension, dimensions, flag, masked_input, nan, result_dtype
from .reductions import sum as masked_sum


def mean(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of the elements that the mask keeps, arguments as of `masked.sum`; nan where there are none.

    Raises:
        ValueError: neither the input nor `dtype` is of floats or complex numbers.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.mean(sg.tensor([[1.0, 2.0], [3.0, 5.0]]), 1, mask=sg.tensor([[True, False], [True, True]]))
        tensor([1., 4.])
    """
    x = checks.tensor("mean", "input", input)
    kind = result_dtype("mean", dtype, x._dtype)
    if kind.kind not in "fc":
        whose = "Input" if dtype is None else "Optional"
        raise ValueError(
            f"mean(): Could not infer output dtype. {whose} dtype must be either a floating point or complex dtype. "
            f"Got: {kind}"
        )
    number = count("mean", x, mask, dimensions("mean", dim, x.ndim), flag("mean", keepdim))
    return masked_sum(x, dim, keepdim=keepdim, dtype=kind, mask=mask) / number


def median(input: Any, dim: int = -1, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The median of the elements that the mask keeps, the lower one of an even number; nan where there are none.

    Args:
        input: a tensor of real numbers.
        dim: the dimension that is reduced.
        keepdim: whether it stays, with size 1.
        dtype: the dtype of the result for integers; floats keep theirs.
        mask: True where an element counts; it broadcasts to the input. All of them by default.

    Raises:
        ValueError: a median of integers where no element is kept.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.median(sg.tensor([7.0, 1.0, 3.0]), 0, mask=sg.tensor([True, False, True]))
        tensor(3.)
    """
    x = checks.tensor("median", "input", input)
    along, kind = dimension("median", dim, x.ndim), result_dtype("median", dtype, x._dtype)
    is_float = x._dtype.kind == "f"
    values = masked_input("median", x if is_float else x.to(float32), mask, constant(nan))
    result = op.nanmedian(values, along, flag("median", keepdim)).values
    if is_float:
        return result
    if op.isnan(result).any().item():
        raise ValueError("median(): expects no fully masked out rows if dtype is not floating point")
    return result.to(kind)


def var(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    *,
    correction: float | None = None,
    keepdim: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """sum(|x - mean|^2) / max(n - correction, 0) of the n elements that the mask keeps, arguments as of `masked.sum`.

    Args:
        unbiased: True stands for a correction of 1, False for one of 0.
        correction: what is subtracted from the number of elements; 1 by default.

    Raises:
        AssertionError: both `unbiased` and `correction` are given.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.var(sg.tensor([1.0, 9.0, 3.0]), mask=sg.tensor([True, False, True]))
        tensor(2.)
    """
    return _variance("var", input, dim, _corrected("var", unbiased, correction), keepdim, dtype, mask)


def std(
    input: Any,
    dim: Any = None,
    unbiased: Any = None,
    *,
    correction: float | None = None,
    keepdim: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The square root of the variance, arguments as of `masked.var`.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.std(sg.tensor([1.0, 9.0, 5.0]), correction=0, mask=sg.tensor([True, False, True]))
        tensor(2.)
    """
    return op.sqrt(_variance("std", input, dim, _corrected("std", unbiased, correction), keepdim, dtype, mask))


def _corrected(name: str, unbiased: Any, correction: Any) -> float:
    if unbiased is not None and correction is not None:
        raise AssertionError(f"{name}(): Only one of unbiased and correction may be given")
    if unbiased is not None:
        return 1.0 if checks.boolean(name, "unbiased", unbiased) else 0.0
    return 1.0 if correction is None else checks.floating(name, "correction", correction)


def _variance(name: str, input: Any, dim: Any, correction: float, keepdim: Any, dtype: Any, mask: Any) -> Any:
    x = checks.tensor(name, "input", input)
    kind = result_dtype(name, dtype, x._dtype if x._dtype.kind in "fc" else float32)
    inner = kind if kind.kind in "fc" else float32
    dims, stays = dimensions(name, dim, x.ndim), flag(name, keepdim)
    total = masked_sum(x, dim, keepdim=True, dtype=kind, mask=mask)
    difference = x - total / count(name, x, mask, dims, True)
    squares = masked_sum(difference * difference.conj_physical(), dim, keepdim=stays, dtype=inner, mask=mask)
    number = count(name, x, mask, dims, stays).to(_real(inner))
    return (squares / op.clamp_min(number - correction, 0) if correction else squares / number).to(kind)


def _real(kind: Dtype) -> Dtype:
    return kind.to_real() if kind.kind == "c" else kind
