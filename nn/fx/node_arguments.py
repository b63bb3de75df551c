"""Arguments of nodes: nested tuples, lists, dicts and slices, which are mapped, and cannot be changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ...runtime.errors import ArgumentError, type_name

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


class AnyNode:
    """The base of Node: what stands for a result among arguments."""


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The same nesting with `fn` of each item that is no tuple, list, dict or slice; lists and dicts are immutable.

    Args:
        a: the nested arguments.
        fn: called with each item.

    Example:
        >>> sg.fx.node.map_aggregate((1, [2, {"a": 3}]), lambda n: n * 10)
        (10, [20, {'a': 30}])
    """
    if not callable(fn):
        raise ArgumentError(f"map_aggregate(): argument 'fn' must be callable, not {type_name(fn)}")
    return _mapped(a, fn)


def _mapped(a: Any, fn: Callable[[Any], Any]) -> Any:
    if isinstance(a, tuple):
        items = [_mapped(item, fn) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list([_mapped(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict({key: _mapped(item, fn) for key, item in a.items()})
    if isinstance(a, slice):
        return slice(_mapped(a.start, fn), _mapped(a.stop, fn), _mapped(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The same nesting with `fn` of each Node, and all else as it is.

    Args:
        a: the nested arguments.
        fn: called with each Node.

    Example:
        >>> x = sg.fx.Graph().placeholder("x")
        >>> sg.fx.map_arg((x, [x, 1]), lambda node: node.name)
        ('x', ['x', 1])
    """
    if not callable(fn):
        raise AssertionError("map_arg(fn, ...) expected a callable")
    return _mapped(a, lambda item: fn(item) if isinstance(item, AnyNode) else item)
