"""Running results of an operation of the user's that is associative: all prefixes in logarithmically many steps."""

from collections.abc import Callable
from typing import Any

from ...namespace import op
from ..pytree.structure import tree_flatten, tree_unflatten
from ..vmap import vmap


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Combine the elements along a dimension: result i is that of elements 0 to i.

    Formula: y_0 = x_0, y_i = combine_fn(y_{i-1}, x_i)

    Args:
        combine_fn: an associative function of two trees of tensors like `xs`, without the dimension.
        xs: a tree of tensors of one size along `dim`.
        dim: the dimension.
        reverse: go from the last element to the first.
        combine_mode: "pointwise" where `combine_fn` is element-wise, so that it may see many elements at once;
            or "generic".

    Returns:
        A tree like `xs`.

    Raises:
        ValueError: `combine_fn` cannot be called, `combine_mode` is neither, there is no tensor, or sizes differ.

    Example:
        >>> import specgrad as sg
        >>> from specgrad._higher_order_ops.associative_scan import associative_scan
        >>> associative_scan(lambda a, b: a * b, sg.tensor([1.0, 2.0, 3.0]), 0)
        tensor([1., 2., 6.])
    """
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn!r}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    leaves, tree = tree_flatten(xs)
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    rows = [leaf.movedim(dim, 0) for leaf in leaves]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("All xs leaves must have the same number of elements along the scan dimension")
    combine = combine_fn if combine_mode == "pointwise" else vmap(combine_fn)

    def combined(left: list[Any], right: list[Any]) -> list[Any]:
        result, _ = tree_flatten(combine(tree_unflatten(left, tree), tree_unflatten(right, tree)))
        return list(result)

    rows = [row.flip(0) for row in rows] if reverse else rows
    result = _scanned(combined, rows)
    result = [row.flip(0) for row in result] if reverse else result
    return tree_unflatten([row.movedim(0, dim) for row in result], tree)


def _scanned(combined: Callable[[list[Any], list[Any]], list[Any]], rows: list[Any]) -> list[Any]:
    """All prefixes: those of pairs are every second one, and one element more gives the others.

    Source: Blelloch, Prefix sums and their applications (1990).
    """
    count = len(rows[0])
    if count < 2:
        return rows
    pairs = combined([row[: count - 1 : 2] for row in rows], [row[1::2] for row in rows])
    odd = _scanned(combined, pairs)
    if count == 2:
        return [op.cat([row[:1], second]) for row, second in zip(rows, odd, strict=True)]
    before = [row[: (count - 1) // 2] for row in odd]
    even = combined(before, [row[2::2] for row in rows])
    return [_alternating(row[:1], e, o) for row, e, o in zip(rows, even, odd, strict=True)]


def _alternating(first: Any, even: Any, odd: Any) -> Any:
    even = op.cat([first, even])
    paired = op.stack([even[: len(odd)], odd], 1).flatten(0, 1)
    return op.cat([paired, even[len(odd) :]])
