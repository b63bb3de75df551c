"""Shape rules that serve kernels of any family: what comes out of arrays of given shapes.

A rule takes a kernel's arguments, arrays whose elements it does not look at among them, and gives the shape of the
result, or a list with the shape of each. An entry names it under `shape`.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import NoDataError
from ..tensor.shapes import Shape, broadcast_shapes


def same(first: Any, *rest: Any) -> Shape:
    """The shape of the first operand."""
    return tuple(first.shape)


def same_of_each(first: Any, *rest: Any) -> list[Shape]:
    """Two results of the shape of the first operand."""
    return [same(first), same(first)]


def like_second(first: Any, second: Any, *rest: Any) -> Shape:
    """The shape of the second operand."""
    return tuple(second.shape)


def one_number(*args: Any) -> Shape:
    """One number."""
    return ()


def size_argument(first: Any, size: Any, *rest: Any) -> Shape:
    """The size that the second argument is."""
    return tuple(size)


def size_third_argument(first: Any, second: Any, size: Any, *rest: Any) -> Shape:
    """The size that the third argument is."""
    return tuple(size)


def broadcast(*operands: Any) -> Shape:
    """The shape to which all operands broadcast."""
    return broadcast_shapes("broadcast", *[operand.shape for operand in operands])


def by_values(*args: Any) -> NoReturn:
    """A shape that depends on what the elements are.

    Raises:
        NoDataError: (a NotImplementedError) always.
    """
    raise NoDataError(
        "attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered: the "
        "shape of its result depends on the values of its elements"
    )
