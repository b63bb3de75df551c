"""Functions of the leaves of trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import UnionType
from typing import Any

from .registry import SUPPORTED_NODES, node_type
from .structure import IsLeaf, TreeSpec, tree_flatten, tree_is_leaf, tree_iter, tree_structure

Chosen = type | tuple[type, ...] | UnionType | Callable[[Any], bool]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree with the function's value in place of each leaf.

    Args:
        func: called with a leaf, and with what stands at its place in each of the other trees.
        tree: the tree.
        *rests: trees that have its nodes, and maybe more below them.
        is_leaf: says of nodes of `tree` which are leaves all the same.

    Raises:
        ValueError: another tree has other nodes.

    Example:
        >>> tree_map(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
        {'x': 11, 'y': [22]}
    """
    leaves, treespec = tree_flatten(tree, is_leaf)
    others = [treespec.flatten_up_to(rest) for rest in rests]
    return treespec.unflatten(map(func, leaves, *others))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Call a function with each leaf, for what it does; arguments as of `tree_map`.

    Returns:
        The tree itself.
    """
    leaves, treespec = tree_flatten(tree, is_leaf)
    others = [treespec.flatten_up_to(rest) for rest in rests]
    for values in zip(leaves, *others, strict=True):
        func(*values)
    return tree


def _chooser(chosen: Chosen) -> Callable[[Any], bool]:
    if isinstance(chosen, (type, tuple, UnionType)):
        return lambda leaf: isinstance(leaf, chosen)
    if callable(chosen):
        return chosen
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def map_only(type_or_types_or_pred: Chosen, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator by which a function gets certain leaves only and gives back the others as they are.

    Args:
        type_or_types_or_pred: their class or classes, or a function that says which.
    """
    requested = _chooser(type_or_types_or_pred)

    def decorate(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda leaf: func(leaf) if requested(leaf) else leaf

    return decorate


def tree_map_only(
    type_or_types_or_pred: Chosen, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None
) -> Any:
    """The tree with the function's value in place of certain leaves.

    Args:
        type_or_types_or_pred: their class or classes, or a function that says which.
        func: called with such a leaf.
        tree: the tree.
        is_leaf: says of nodes which are leaves all the same.

    Example:
        >>> tree_map_only(int, lambda number: -number, [1, "a", (2,)])
        [-1, 'a', (-2,)]
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Chosen, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None
) -> Any:
    """Call a function with certain leaves, for what it does; arguments as of `tree_map_only`.

    Returns:
        The tree itself.
    """
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether something is true of all leaves.

    Args:
        pred: says of a leaf whether it is.
        tree: the tree.
        is_leaf: says of nodes which are leaves all the same.
    """
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether something is true of any leaf; arguments as of `tree_all`."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Chosen, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether something is true of all leaves of some classes; other arguments as of `tree_all`.

    Args:
        type_or_types: the class or classes.
    """
    requested = _chooser(type_or_types)
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if requested(leaf))


def tree_any_only(type_or_types: Chosen, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether something is true of any leaf of some classes; arguments as of `tree_all_only`."""
    requested = _chooser(type_or_types)
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if requested(leaf))


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves, each with the keys that lead to it; arguments as of `tree_flatten`."""
    return list(_paths((), tree, is_leaf))


def _paths(path: tuple[Any, ...], tree: Any, is_leaf: IsLeaf) -> Iterable[tuple[tuple[Any, ...], Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = SUPPORTED_NODES[node_type(tree)]
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {type(tree)}. Please pass a flatten_with_keys_fn argument "
            "to register_pytree_node."
        )
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _paths((*path, key), child, is_leaf)


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """The leaves with the keys that lead to each, and the structure; arguments as of `tree_flatten`.

    Example:
        >>> tree_flatten_with_path([5])[0]
        [((SequenceKey(idx=0),), 5)]
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """As `tree_map`, for a function whose first argument is the keys that lead to the leaf; arguments as of `tree_map`.

    Example:
        >>> tree_map_with_path(lambda path, leaf: str(*path) + leaf, ["a", "b"])
        ['[0]a', '[1]b']
    """
    result, treespec = tree_flatten_with_path(tree, is_leaf)
    others = [treespec.flatten_up_to(rest) for rest in rests]
    columns = [path for path, _ in result], [leaf for _, leaf in result], *others
    return treespec.unflatten(map(func, *columns))
