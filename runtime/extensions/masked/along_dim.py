"""What keeps the shape: softmax, running sums and products, and vectors divided by their norm, under a mask."""

from typing import Any

from ...dispatch import argument_checks
from ...namespace import op
from .masks import constant, dimension, highest_value, lowest_value, masked_input, result_dtype
from .reductions import norm


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """exp(x_i) / sum_j exp(x_j) over the elements that the mask keeps; 0 for the others, nan where there are none.

    Args:
        input: a tensor.
        dim: the dimension along which the sum is 1.
        dtype: the dtype to which the input is converted before.
        mask: True where an element counts; it broadcasts to the input. All of them by default.

    Raises:
        IndexError: a mask of more dimensions than the input, or a dimension that there is not.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.softmax(sg.tensor([1.0, 5.0, 1.0]), 0, mask=sg.tensor([True, False, True]))
        tensor([0.5000, 0.0000, 0.5000])
    """
    return _normalized("softmax", input, dim, dtype, mask, op.softmax)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of `masked.softmax`, arguments as of `masked.softmax`; -inf for what is left out.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.log_softmax(sg.tensor([1.0, 5.0, 1.0]), 0, mask=sg.tensor([True, False, True]))
        tensor([-0.6931,    -inf, -0.6931])
    """
    return _normalized("log_softmax", input, dim, dtype, mask, op.log_softmax)


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """`masked.softmax` of -x, arguments as of `masked.softmax`.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.softmin(sg.tensor([1.0, -5.0, 1.0]), 0, mask=sg.tensor([True, False, True]))
        tensor([0.5000, 0.0000, 0.5000])
    """
    return _normalized("softmin", input, dim, dtype, mask, op.softmax, -1)


def _normalized(name: str, input: Any, dim: int, dtype: Any, mask: Any, function: Any, sign: int = 1) -> Any:
    x = masked_input(name, input, mask, lowest_value("amax") if sign > 0 else highest_value("amin"))
    along, kind = dimension(name, dim, x.ndim), result_dtype(name, dtype, x._dtype)
    return function(x if sign > 0 else -x, along, dtype=kind)


def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The running sum along a dimension, to which elements that the mask leaves out add 0.

    Other arguments as of `masked.softmax`.

    Args:
        dtype: the dtype of the result, by default that of the input.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.cumsum(sg.tensor([1, 2, 3]), 0, mask=sg.tensor([True, False, True]))
        tensor([1, 1, 4])
    """
    return _running("cumsum", input, dim, dtype, mask, constant(0))


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The running product along a dimension, arguments as of `masked.cumsum`; what is left out counts as 1.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.cumprod(sg.tensor([2, 5, 3]), 0, mask=sg.tensor([True, False, True]))
        tensor([2, 2, 6])
    """
    return _running("cumprod", input, dim, dtype, mask, constant(1))


def _running(name: str, input: Any, dim: int, dtype: Any, mask: Any, identity: Any) -> Any:
    x = argument_checks.tensor(name, "input", input)
    along, kind = dimension(name, dim, x.ndim), result_dtype(name, dtype, x._dtype)
    return getattr(op, name)(masked_input(name, x, mask, identity), along, dtype=kind)


def normalize(input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None) -> Any:
    """x / max(norm of x, eps) along a dimension, arguments as of `masked.cumsum`; what is left out is 0.

    Args:
        ord: the order of the norm.
        eps: the least number that is divided by.

    Example:
        >>> import specgrad as sg
        >>> sg.masked.normalize(sg.tensor([3.0, 9.0, 4.0]), 2.0, 0, mask=sg.tensor([True, False, True]))
        tensor([0.6000, 0.0000, 0.8000])
    """
    x = masked_input("normalize", input, mask, constant(0))
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return x / op.maximum(length, op.full_like(length, argument_checks.floating("normalize", "eps", eps)))
