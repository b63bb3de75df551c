"""Nested tuples, lists and dictionaries as flat lists of what they hold."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

Spec = Any  # None for a leaf, else (type, keys or how to make it again, specs of the items)
NODES = dict, tuple, list, deque  # classes some of whose subclasses are nodes of a tree


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """The leaves of a tree in order, and its structure; whatever is no tuple, list or dictionary is a leaf."""
    leaves: list[Any] = []
    try:
        return leaves, _flatten(tree, leaves)
    except RecursionError:
        raise ValueError("a list, tuple or dict is nested too deeply, or holds itself") from None


def _flatten(tree: Any, leaves: list[Any]) -> Spec:
    items = children(tree)
    if items is None:
        leaves.append(tree)
        return None
    keys = list(tree) if isinstance(tree, dict) else None
    specs: list[Any] = []
    for item in items:
        if isinstance(item, NODES):
            specs.append(_flatten(item, leaves))
        else:  # without a call: most items are leaves
            leaves.append(item)
            specs.append(None)
    return type(tree), keys, specs


def children(tree: Any) -> list[Any] | None:
    if not isinstance(tree, NODES):
        return None
    if isinstance(tree, dict):
        return list(tree.values()) if type(tree) in (dict, OrderedDict, defaultdict) else None
    if type(tree) in (tuple, list, deque) or (isinstance(tree, tuple) and hasattr(tree, "_fields")):
        return list(tree)
    return None


def unflatten(leaves: Sequence[Any], spec: Spec) -> Any:
    return _unflatten(iter(leaves), spec)


def _unflatten(leaves: Any, spec: Spec) -> Any:
    if spec is None:
        return next(leaves)
    kind, keys, specs = spec
    items = [next(leaves) if item is None else _unflatten(leaves, item) for item in specs]
    if keys is not None:
        pairs = zip(keys, items, strict=True)
        return OrderedDict(pairs) if kind is OrderedDict else dict(pairs)
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    leaves, spec = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], spec)


def broadcast_prefix(prefix: Any, tree: Any) -> list[Any] | None:
    """One value for each leaf of `tree`, from a tree that has leaves where this one may go on; None if they differ."""
    parts = children(prefix)
    if parts is None:
        return [prefix] * (len(flatten(tree)[0]) if isinstance(tree, NODES) else 1)
    items = children(tree)
    if items is None or type(prefix) is not type(tree) or len(items) != len(parts):
        return None
    if isinstance(prefix, dict):
        if prefix.keys() != tree.keys():
            return None
        parts = [prefix[key] for key in tree]
    matches: list[Any] = []
    for part, item in zip(parts, items, strict=True):
        below = broadcast_prefix(part, item)
        if below is None:
            return None
        matches += below
    return matches


def shown(spec: Spec) -> str:
    """A structure as messages show it, with `*` for leaves: `(*, {'a': *})`."""
    if spec is None:
        return "*"
    kind, keys, specs = spec
    items = [shown(item) for item in specs]
    names = keys if keys is not None else getattr(kind, "_fields", None)
    if names is not None:
        items = [f"{name!r}: {item}" for name, item in zip(names, items, strict=True)]
    inside = ", ".join(items)
    if kind in (dict, tuple, list):
        left, right = {dict: ("{", "}"), tuple: ("(", ")"), list: ("[", "]")}[kind]
        return left + inside + ("," if kind is tuple and len(items) == 1 else "") + right
    return f"{kind.__name__}({inside})"
