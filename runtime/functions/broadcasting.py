"""Broadcasting as functions: the common shape of several, and tensors expanded to it."""

from __future__ import annotations

from typing import Any

from ..dispatch import checks
from ..tensor import shapes
from ..tensor.shapes import Size


def broadcast_shapes(*sizes: Any) -> Size:
    """The shape that all these shapes expand to.

    Args:
        *sizes: shapes; an int stands for a shape of one dimension.

    Raises:
        RuntimeError: they do not broadcast.

    Example:
        >>> import specgrad as sg
        >>> sg.broadcast_shapes((2, 1), (3,))
        specgrad.Size([2, 3])
    """
    given = [checks.integer_list("broadcast_shapes", "sizes", size, 1) for size in sizes]
    if any(n < 0 for size in given for n in size):
        raise RuntimeError(f"broadcast_shapes(): expected sizes that are not negative, but got {[*map(list, given)]}")
    return Size(shapes.broadcast_shapes("broadcast_shapes", *given))


def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """The tensors expanded to their common shape: views, or a tensor itself where it has that shape.

    Args:
        *tensors: tensors whose shapes broadcast.

    Raises:
        RuntimeError: they do not broadcast.

    Example:
        >>> import specgrad as sg
        >>> [x.shape for x in sg.broadcast_tensors(sg.ones(2, 1), sg.ones(3))]
        [specgrad.Size([2, 3]), specgrad.Size([2, 3])]
    """
    given = checks.tensor_list("broadcast_tensors", "tensors", tensors)
    shape = shapes.broadcast_shapes("broadcast_tensors", *(t._shape for t in given))
    return tuple(t if t._shape == shape else t.expand(shape) for t in given)
