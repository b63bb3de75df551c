"""`gradient`: derivatives of sampled functions, estimated by finite differences."""

from typing import Any

from ...dispatch import argument_checks
from ...errors import DtypeError, ShapeError
from ...namespace import op
from ...tensor.dtypes import get_default_dtype
from ...tensor.tensor import TensorBase


def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    """The derivative along each dimension, at each element that of the parabola through it and its two neighbours.

    Args:
        input: the values of a function at the points of a grid.
        spacing: the distance of the points, 1 unless given; or a list, with a distance or a vector of coordinates for
            each dimension.
        dim: the dimension or dimensions along which derivatives are estimated; all by default.
        edge_order: at both ends the derivative of a line through 2 points (1) or of a parabola through 3 (2).

    Returns:
        A tuple with a tensor of the input's shape for each dimension.

    Raises:
        RuntimeError: a dimension is too short or named twice, or `spacing` has another length than `dim`.

    Example:
        >>> import specgrad as sg
        >>> sg.gradient(sg.tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)
        >>> sg.gradient(sg.tensor([1.0, 4.0, 16.0]), spacing=(sg.tensor([1.0, 2.0, 4.0]),), edge_order=2)
        (tensor([2., 4., 8.]),)
    """
    x = argument_checks.tensor("gradient", "input", input)
    dims = _dimensions(x, dim)
    if x._dtype.kind == "b":
        raise DtypeError("gradient(): expected numbers, but got bools, of which there are no differences")
    spacing = 1 if spacing is None else spacing
    steps = spacing if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(steps) != len(dims):
        raise ShapeError(
            "gradient(): expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(steps)} and a dim argument of length {len(dims)}."
        )
    order = argument_checks.integer("gradient", "edge_order", edge_order)
    if order not in (1, 2):
        raise RuntimeError(f"gradient(): only supports edge_order=1 and edge_order=2, but got {order}")
    if any(x._shape[d] < order + 1 for d in dims):
        raise ShapeError(
            f"gradient(): expected each dimension size to be at least edge_order+1, but got shape {list(x._shape)}"
        )
    return tuple(_derivative(x.movedim(d, -1), step, order).movedim(-1, d) for d, step in zip(dims, steps, strict=True))


def _dimensions(x: Any, dim: Any) -> list[int]:
    if dim is None:
        return list(range(x.ndim))
    dims = argument_checks.integer_list("gradient", "dim", dim, 1)
    matches = [argument_checks.wrap_dim("gradient", d, x.ndim) for d in dims]
    for d in matches:
        if matches.count(d) > 1:
            raise RuntimeError(f"gradient(): dim {d} appears multiple times in the list of dims")
    return matches


def _derivative(x: Any, step: Any, order: int) -> Any:
    """The derivative along the last dimension, second order inside, of order 1 or 2 at the ends."""
    steps = _distances(step, x)
    rises = op.diff(x, 1, -1) / steps
    if x._shape[-1] == 2:
        return op.cat([rises, rises], -1)
    left, right = steps[:-1], steps[1:]
    weights = left / (left + right)  # the nearer neighbour says more
    inner = rises[..., :-1] * (1 - weights) + rises[..., 1:] * weights
    first, last = rises[..., :1], rises[..., -1:]
    if order == 2:
        first, last = 2 * first - inner[..., :1], 2 * last - inner[..., -1:]
    return op.cat([first, inner, last], -1)


def _distances(step: Any, x: Any) -> Any:
    count = x._shape[-1]
    kind = x._dtype.to_real() if x._dtype.kind in "fc" else get_default_dtype()
    if isinstance(step, TensorBase) and step._shape:
        if step._shape != (count,):
            raise ShapeError(f"gradient(): expected {count} coordinates, one for each point, got {list(step._shape)}")
        return op.diff(step if step.is_floating_point() else step.to(kind))  # type: ignore[attr-defined]
    value = step if isinstance(step, TensorBase) else argument_checks.scalar("gradient", "spacing", step)
    return op.full((count - 1,), 1.0, dtype=kind, device=x._device) * value
