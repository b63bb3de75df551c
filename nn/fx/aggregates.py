"""Arguments of nodes are nested tuples, lists, dicts and slices: applying a function to all that is in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...runtime.errors import ArgumentError, type_name
from .immutable_collections import immutable_dict, immutable_list


class AnyNode:
    """The base of Node: what stands for a result among arguments."""


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The same nesting with `fn` of each item that is no tuple, list, dict or slice; lists and dicts are immutable.

    Args:
        a: the nested arguments.
        fn: called with each item.

    Example:
        >>> import specgrad as sg
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
        >>> import specgrad as sg
        >>> x = sg.fx.Graph().placeholder("x")
        >>> sg.fx.map_arg((x, [x, 1]), lambda node: node.name)
        ('x', ['x', 1])
    """
    if not callable(fn):
        raise AssertionError("map_arg(fn, ...) expected a callable")
    return _mapped(a, lambda item: fn(item) if isinstance(item, AnyNode) else item)
