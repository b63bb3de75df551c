"""Lists and dicts of a node's arguments: changing one would leave out who uses whom, so nobody can."""

from __future__ import annotations

from typing import Any, NoReturn

_HELP = (
    "If you are attempting to modify the kwargs or args of a specgrad.fx.Node object, instead create a new copy of it "
    "and assign the copy to the node:\n    new_args = ... # copy and mutate args\n    node.args = new_args"
)


def _refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse to change it: `args` and `kwargs` are those of the method of what can be changed."""
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list[Any]):
    """A list that cannot be changed.

    Example:
        >>> import specgrad as sg
        >>> sg.fx.immutable_collections.immutable_list([1, 2]) + [3]
        [1, 2, 3]
    """

    append = extend = insert = remove = pop = clear = sort = reverse = _refused
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict[str, Any]):
    """A dict that cannot be changed.

    Example:
        >>> import specgrad as sg
        >>> sg.fx.immutable_collections.immutable_dict(dim=1)["dim"]
        1
    """

    clear = pop = popitem = update = setdefault = _refused
    __setitem__ = __delitem__ = __ior__ = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (tuple(self.items()),)

    def copy(self) -> dict[str, Any]:
        """A dict that can be changed."""
        return dict(self)
