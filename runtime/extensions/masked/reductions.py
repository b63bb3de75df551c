"""Sums, products, extremes, norms, logsumexp, means, medians and variances of the elements that a mask keeps."""

from math import inf, nan
from typing import Any

from ...dispatch import argument_checks
from ...namespace import op
from ...tensor.dtypes import float32
from . import masks
from .masks import constant, dimensions, flag, highest_value, lowest_value, masked_input, result_dtype, sum_dtype


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
    return _reduced("amax", input, dim, keepdim, dtype, mask, lowest_value)


def amin(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The least of the elements that the mask keeps, arguments as of `masked.sum`.

    Where there are none it is inf, or the greatest integer of the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.amin(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mask=sg.tensor([[False, True], [False, False]]))
        tensor([2., inf])
    """
    return _reduced("amin", input, dim, keepdim, dtype, mask, highest_value)


def argmax(input: Any, dim: int | None = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the greatest of the elements lies that the mask keeps, the first place; 0 where there are none.

    Other arguments as of `masked.sum`; the input is of real numbers.

    Args:
        dim: the dimension that is reduced; by default the flattened tensor is looked at.
        dtype: the dtype to which indices are converted: that of the input by default, as in PyTorch.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.argmax(sg.tensor([4, 9, 7]), mask=sg.tensor([True, False, True]))
        tensor(2)
    """
    return _reduced("argmax", input, dim, keepdim, dtype, mask, lowest_value)


def argmin(input: Any, dim: int | None = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the least of the elements lies that the mask keeps, arguments as of `masked.argmax`.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.argmin(sg.tensor([4, 1, 3]), mask=sg.tensor([True, False, True]))
        tensor(2)
    """
    return _reduced("argmin", input, dim, keepdim, dtype, mask, highest_value)


def _reduced(name: str, input: Any, dim: Any, keepdim: Any, dtype: Any, mask: Any, identity: Any) -> Any:
    x = masked_input(name, input, mask, identity(name))
    dims = dim if name.startswith("arg") else dimensions(name, dim, x.ndim)
    return getattr(op, name)(x, dims, flag(name, keepdim)).to(result_dtype(name, dtype, x._dtype))


def logsumexp(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """log(sum(exp(x))) of the elements that the mask keeps, arguments as of `masked.sum`; -inf where there are none.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.logsumexp(sg.tensor([0.0, 0.0, 50.0]), 0, mask=sg.tensor([True, True, False]))
        tensor(0.6931)
    """
    return _reduced("logsumexp", input, dim, keepdim, dtype, mask, lowest_value)


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
    identity = lowest_value("logaddexp")
    x = masked_input("logaddexp", input, input_mask, identity, "input_mask")
    y = argument_checks.tensor("logaddexp", "other", other)
    y = masked_input("logaddexp", y, other_mask, identity, "other_mask")
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
    x = argument_checks.tensor("norm", "input", input)
    order = argument_checks.floating("norm", "ord", ord)
    x = masked_input("norm", x, mask, constant(inf if order == -inf else 0))
    dims = dimensions("norm", dim, x.ndim)
    return op.linalg_vector_norm(x, order, dims, flag("norm", keepdim), dtype=result_dtype("norm", dtype, x._dtype))


def mean(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of the elements that the mask keeps, arguments as of `masked.sum`; nan where there are none.

    Raises:
        ValueError: neither the input nor `dtype` is of floats or complex numbers.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.mean(sg.tensor([[1.0, 2.0], [3.0, 5.0]]), 1, mask=sg.tensor([[True, False], [True, True]]))
        tensor([1., 4.])
    """
    x = argument_checks.tensor("mean", "input", input)
    kind = result_dtype("mean", dtype, x._dtype)
    if kind.kind not in "fc":
        whose = "Input" if dtype is None else "Optional"
        raise ValueError(
            f"mean(): Could not infer output dtype. {whose} dtype must be either a floating point or complex dtype. "
            f"Got: {kind}"
        )
    number = masks.count("mean", x, mask, dimensions("mean", dim, x.ndim), flag("mean", keepdim))
    return sum(x, dim, keepdim=keepdim, dtype=kind, mask=mask) / number


def median(input: Any, dim: int = -1, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """The median of the elements that the mask keeps, the lower one of an even number; nan where there are none.

    Other arguments as of `masked.sum`; the input is of real numbers.

    Args:
        dim: the dimension that is reduced.
        dtype: the dtype of the result for integers; floats keep theirs.

    Raises:
        ValueError: a median of integers where no element is kept.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.median(sg.tensor([7.0, 1.0, 3.0]), 0, mask=sg.tensor([True, False, True]))
        tensor(3.)
    """
    x = argument_checks.tensor("median", "input", input)
    along, kind = masks.dimension("median", dim, x.ndim), result_dtype("median", dtype, x._dtype)
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
        return 1.0 if argument_checks.boolean(name, "unbiased", unbiased) else 0.0
    return 1.0 if correction is None else argument_checks.floating(name, "correction", correction)


def _variance(name: str, input: Any, dim: Any, correction: float, keepdim: Any, dtype: Any, mask: Any) -> Any:
    x = argument_checks.tensor(name, "input", input)
    kind = result_dtype(name, dtype, x._dtype if x._dtype.kind in "fc" else float32)
    inner = kind if kind.kind in "fc" else float32
    dims, stays = dimensions(name, dim, x.ndim), flag(name, keepdim)
    total = sum(x, dim, keepdim=True, dtype=kind, mask=mask)
    difference = x - total / masks.count(name, x, mask, dims, True)
    squares = sum(difference * difference.conj_physical(), dim, keepdim=stays, dtype=inner, mask=mask)
    number = masks.count(name, x, mask, dims, stays).to(inner.to_real())
    return (squares / op.clamp_min(number - correction, 0) if correction else squares / number).to(kind)
