"""Masks of causal attention where there are more keys than queries: which corner the triangle begins in."""

from enum import IntEnum

from ...generated.tensor import Tensor
from ...runtime.ops.creation import ones
from ...runtime.tensor.dtypes import bool_


class CausalVariant(IntEnum):
    """The corner that a causal mask begins in."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def causal_upper_left(*size: int) -> Tensor:
    """The mask by which query i looks at keys 0 to i, as bools: the same as `is_causal`.

    Args:
        *size: the numbers of queries and of keys.

    Raises: RuntimeError: these are not two.

    Example:
        >>> from specgrad.nn.attention.bias import causal_upper_left
        >>> causal_upper_left(1, 2)
        tensor([[ True, False]])
    """
    return _lower(0, size)


def causal_lower_right(*size: int) -> Tensor:
    """The mask by which the last query looks at all keys, and each before it at one less, as bools.

    Args:
        *size: the numbers of queries and of keys.

    Raises: RuntimeError: these are not two.

    Example:
        >>> from specgrad.nn.attention.bias import causal_lower_right
        >>> causal_lower_right(2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """
    return _lower(size[-1] - size[0] if len(size) == 2 else 0, size)


def _lower(diagonal: int, size: tuple[int, ...]) -> Tensor:
    if len(size) != 2:
        raise RuntimeError(f"a causal mask has two sizes, of queries and of keys, but got {size}")
    return ones(size, dtype=bool_).tril(diagonal)
