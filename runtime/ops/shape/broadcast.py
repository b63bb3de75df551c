"""Functions that take their tensors one by one, as `meshgrid(x, y)`, and shapes that broadcast."""

from collections.abc import Callable
from typing import Any

from ... import shapes
from ...dispatch import argument_checks
from ...errors import warn_once
from ...namespace import op
from ...shapes import Size

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors"]
__all__ += ["cartesian_prod", "meshgrid"]


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
    args = [argument_checks.integer_list("broadcast_shapes", "sizes", size, 1) for size in sizes]
    if any(n < 0 for size in args for n in size):
        raise RuntimeError(f"broadcast_shapes(): expected sizes that are not negative, but got {[*map(list, args)]}")
    return Size(shapes.broadcast_shapes("broadcast_shapes", *args))


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
    value = argument_checks.tensor_list("broadcast_tensors", "tensors", tensors)
    shape = shapes.broadcast_shapes("broadcast_tensors", *(t._shape for t in value))
    return tuple(t if t._shape == shape else t.expand(shape) for t in value)


def _listed(name: str, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    one = len(tensors) == 1 and isinstance(tensors[0], (list, tuple))
    return argument_checks.tensor_list(name, "tensors", tensors[0] if one else tensors)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Vectors expanded to a grid: y_k[i_1, ..., i_n] = x_k[i_k].

    Args:
        *tensors: n vectors (or numbers) of one dtype, one by one or in a list.
        indexing: 'ij', or 'xy', for which the first two dimensions of the results change places; 'ij' when left out,
            with a warning the first time.

    Shape:
        Each result: (N_1, ..., N_n), or (N_2, N_1, ..., N_n) for 'xy'.

    Raises:
        RuntimeError: no tensors, one of two or more dimensions, different dtypes, or another indexing.

    Example:
        >>> import specgrad as sg
        >>> sg.meshgrid(sg.tensor([1, 2]), sg.tensor([3, 4]), indexing="ij")
        (tensor([[1, 1],
                [2, 2]]), tensor([[3, 4],
                [3, 4]]))
    """
    order = "ij" if indexing is None else argument_checks.string("meshgrid", "indexing", indexing)
    vectors = _listed("meshgrid", tensors)
    if indexing is None and len(vectors) > 1:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    return op.meshgrid(vectors, indexing=order)


def cartesian_prod(*tensors: Any) -> Any:
    """All rows that take one element of each vector, those of the last vector changing fastest.

    Args:
        *tensors: vectors of one dtype; a single one is returned as it is.

    Shape:
        Output: (N_1 N_2 ... N_n, n) for n > 1 vectors.

    Raises:
        RuntimeError: no tensors, one that is no vector, or different dtypes.

    Example:
        >>> import specgrad as sg
        >>> sg.cartesian_prod(sg.tensor([1, 2]), sg.tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])
    """
    return op.cartesian_prod(argument_checks.tensor_list("cartesian_prod", "tensors", tensors))


def block_diag(*tensors: Any) -> Any:
    """Matrices along the diagonal of one matrix, zeros elsewhere.

    Args:
        *tensors: matrices; a vector is a row, a number a matrix of one element.

    Shape:
        Output: (sum of heights, sum of widths); (1, 0) without tensors.

    Raises:
        RuntimeError: a tensor of more than two dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.block_diag(sg.tensor([[1], [2]]), sg.tensor([3, 4]))
        tensor([[1, 0, 0],
                [2, 0, 0],
                [0, 3, 4]])
    """
    value = argument_checks.tensor_list("block_diag", "tensors", tensors)
    return op.block_diag(value) if value else op.zeros((1, 0))


def atleast_1d(*tensors: Any) -> Any:
    """The tensor with at least one dimension: a number as a vector of one element.

    Args:
        *tensors: a tensor; or several, one by one or in a list, of which a tuple comes back.

    Example:
        >>> import specgrad as sg
        >>> sg.atleast_1d(sg.tensor(2))
        tensor([2])
    """
    return _each("atleast_1d", op.atleast_1d, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """The tensor with at least two dimensions: a vector as a row.

    Args:
        *tensors: a tensor; or several, one by one or in a list, of which a tuple comes back.

    Example:
        >>> import specgrad as sg
        >>> sg.atleast_2d(sg.tensor([1, 2]))
        tensor([[1, 2]])
    """
    return _each("atleast_2d", op.atleast_2d, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """The tensor with at least three dimensions: a vector as (1, n, 1), a matrix as (m, n, 1).

    Args:
        *tensors: a tensor; or several, one by one or in a list, of which a tuple comes back.

    Example:
        >>> import specgrad as sg
        >>> sg.atleast_3d(sg.zeros(2, 3)).shape
        specgrad.Size([2, 3, 1])
    """
    return _each("atleast_3d", op.atleast_3d, tensors)


def _each(name: str, function: Callable[[Any], Any], tensors: tuple[Any, ...]) -> Any:
    value = _listed(name, tensors)
    alone = len(tensors) == 1 and not isinstance(tensors[0], (list, tuple))
    return function(value[0]) if alone else tuple(map(function, value))
