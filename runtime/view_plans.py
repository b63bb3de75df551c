"""What view ops have found, by layout and arguments: the same view of another tensor needs no checks again."""

from __future__ import annotations

from typing import Any

_INTS = frozenset((int,))
MOST = 4096  # of one op; then it forgets all of them


def are_ints(sizes: Any) -> bool:
    """Whether this is a tuple of ints, and of nothing that is equal to them."""
    return isinstance(sizes, tuple) and _INTS.issuperset(map(type, sizes))


def remember(plans: dict[Any, Any], source: Any, given: tuple[Any, ...], found: tuple[Any, ...]) -> None:
    """Keep what was found for a layout and arguments, where they can be looked up."""
    try:
        if len(plans) >= MOST:
            plans.clear()
        plans[source._shape, source._strides, source._offset, *given] = found
    except TypeError:  # a list among the arguments
        return
