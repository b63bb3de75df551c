"""The structure of a tree: from a tree to its leaves and back."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .registry import BY_SERIALIZED_NAME, SUPPORTED_NODES, node_type

IsLeaf = Callable[[Any], bool] | None
MAPPINGS = dict, OrderedDict, defaultdict  # whose keys have to be the same, in any order


class TreeSpec:
    """The structure of a tree.

    Args:
        type: the class of the outermost node, None of a leaf.
        context: what the node has besides children: keys, or a class.
        children_specs: the structures of the children.

    Example:
        >>> tree_structure({"a": [1, 2]})
        TreeSpec(dict, ['a'], [TreeSpec(list, None, [*,
            *])])
    """

    num_nodes: int
    num_leaves: int
    __slots__ = ("_children", "context", "num_children", "num_leaves", "num_nodes", "type")

    def __init__(self, type: Any, context: Any, children_specs: Iterable[TreeSpec]) -> None:
        self.type = type
        self.context = context
        self._children = list(children_specs)
        self.num_children = len(self._children)
        self.num_nodes = 1 + sum(child.num_nodes for child in self._children)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in self._children)

    def is_leaf(self) -> bool:
        """Whether this is the structure of a leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """The structures of the children."""
        return self._children.copy()

    def child(self, index: int) -> TreeSpec:
        """The structure of child number `index`."""
        return self._children[index]

    @property
    def children_specs(self) -> list[TreeSpec]:
        """The structures of the children: an older name of `children()`."""
        return self._children

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of a `tree` that stand where this structure has leaves.
        Raises ValueError: the tree is another one before.
        """
        parts: list[Any] = []
        self._collect(tree, parts)
        return parts

    def _collect(self, tree: Any, parts: list[Any]) -> None:
        if self.type is None:
            parts.append(tree)
            return
        for child, part in zip(self._children, self._matching(tree), strict=True):
            child._collect(part, parts)

    def _matching(self, tree: Any) -> list[Any]:
        result = node_type(tree)
        if result is not self.type and not (self.type in MAPPINGS and result in MAPPINGS):
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {result!r}.")
        children, context = SUPPORTED_NODES[result].flatten_fn(tree)
        children = list(children)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if self.type in MAPPINGS:
            requested = self.context[1] if self.type is defaultdict else self.context
            _check_keys(requested, tree)
            return [tree[key] for key in requested]
        if context != self.context:
            raise ValueError(f"Node context mismatch for {self.type!r}: {self.context!r} != {context!r}.")
        return children

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this structure with these `leaves`. Raises ValueError: there are more or fewer of them."""
        args = list(leaves)
        if len(args) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(args)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._make(iter(args))

    def _make(self, leaves: Iterator[Any]) -> Any:
        if self.type is None:
            return next(leaves)
        return SUPPORTED_NODES[self.type].unflatten_fn([child._make(leaves) for child in self._children], self.context)

    def __repr__(self) -> str:
        return self._formatted(0)

    def _formatted(self, indent: int) -> str:
        if self.type is None:
            return "*"
        inner = indent + 2
        items = [child._formatted(inner) for child in self._children]
        name = getattr(self.type, "__name__", str(self.type))
        body = (",\n" + " " * inner).join(items)
        return f"TreeSpec({name}, {self.context!r}, [{body}])"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        same = self.type is other.type and self.context == other.context
        return same and self._children == other._children

    def __hash__(self) -> int:
        keys = self.context[1] if self.type is defaultdict else self.context
        context = tuple(keys) if self.type in MAPPINGS else repr(self.context)
        return hash((self.type, context, tuple(self._children)))


def _check_keys(requested: list[Any], tree: Any) -> None:
    missing, extra = set(requested) - set(tree), set(tree) - set(requested)
    if missing or extra:
        shown = [f" missing key(s): {missing}" if missing else "", f" extra key(s): {extra}" if extra else ""]
        raise ValueError(f"Node keys mismatch;{';'.join(text for text in shown if text)}.")


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, ())


LEAF = LeafSpec()


def treespec_leaf() -> TreeSpec:
    """The structure of a leaf."""
    return LEAF


def treespec_tuple(iterable: Iterable[TreeSpec] = ()) -> TreeSpec:
    """The structure of a tuple.

    Args:
        iterable: the structures of its items.
    """
    return TreeSpec(tuple, None, iterable)


def treespec_dict(mapping: Any = (), **kwargs: TreeSpec) -> TreeSpec:
    """The structure of a dictionary.

    Args:
        mapping: the structures of its values by key, or pairs of both.
        **kwargs: more of these.
    """
    pairs = dict(mapping, **kwargs)
    return TreeSpec(dict, list(pairs), pairs.values())


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a tree is a leaf: of no class that is registered.

    Args:
        tree: any object.
        is_leaf: says of nodes which are leaves all the same.
    """
    if is_leaf is not None and not callable(is_leaf):
        raise TypeError(f"expected is_leaf to be a function, but got {type(is_leaf).__name__}")
    return (is_leaf is not None and is_leaf(tree)) or node_type(tree) not in SUPPORTED_NODES


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree in order, and its structure.

    Args:
        tree: containers in containers; None is a leaf.
        is_leaf: says of nodes which are leaves all the same.

    Example:
        >>> tree_flatten([1, (2, None)])[0]
        [1, 2, None]
    """
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree: Any, leaves: list[Any], is_leaf: IsLeaf) -> TreeSpec:
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return LEAF
    kind = node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The tree of a structure with these leaves.

    Args:
        leaves: as many as the structure has.
        treespec: the structure.

    Raises:
        ValueError: there are more or fewer of them.

    Example:
        >>> tree_unflatten([3, 4], tree_structure({"a": 1, "b": (2,)}))
        {'a': 3, 'b': (4,)}
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item of type "
            f"{type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """The leaves of a tree, one after the other; arguments as of `tree_flatten`."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree in order; arguments as of `tree_flatten`."""
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves of all arguments, those by name last.

    Args:
        *args, **kwargs: trees.
    """
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """The structure of a tree; arguments as of `tree_flatten`."""
    return tree_flatten(tree, is_leaf)[1]


def broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """A value for each leaf of a structure, from a tree whose leaves may stand for whole subtrees; None if they differ.

    Args:
        tree: has the structure's nodes, as far as it goes.
        treespec: the structure.
        is_leaf: says of nodes of `tree` which are leaves all the same.
    """
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    kind = node_type(tree)
    if treespec.is_leaf() or kind is not treespec.type:
        return None
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    children = list(children)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    matches: list[Any] = []
    for child, spec in zip(children, treespec.children(), strict=True):
        part = broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        matches += part
    return matches


def treespec_pprint(treespec: TreeSpec) -> str:
    """A structure as a tree of its kind with stars for leaves.

    Args:
        treespec: the structure.

    Example:
        >>> treespec_pprint(tree_structure([1, {"a": 2}]))
        "[*, {'a': *}]"
    """

    class Star:
        def __repr__(self) -> str:
            return "*"

    return repr(treespec.unflatten([Star() for _ in range(treespec.num_leaves)]))


PROTOCOL = 1


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as text.

    Args:
        treespec: the structure.
        protocol: the form of the text; 1 is the only one.

    Raises:
        TypeError: it is no structure.
        ValueError: another protocol.
        NotImplementedError: a class in it has no name for text.

    Example:
        >>> from specgrad.utils import _pytree
        >>> treespec_dumps(_pytree.tree_structure(0))
        '[1, {"type": null, "context": null, "children_spec": []}]'
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec but got item of type "
            f"{type(treespec)}."
        )
    if protocol not in (None, PROTOCOL):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")
    return json.dumps((PROTOCOL, _written(treespec)))


def _written(treespec: TreeSpec) -> dict[str, Any]:
    if treespec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    node = SUPPORTED_NODES[treespec.type]
    if node.serialized_type_name is None:
        raise NotImplementedError(
            f"No registered serialization name for {treespec.type} found. Please update your _register_pytree_node "
            "call with a `serialized_type_name` kwarg."
        )
    context = treespec.context if node.to_dumpable_context is None else node.to_dumpable_context(treespec.context)
    try:
        text = json.dumps(context)
    except TypeError as error:
        raise TypeError(
            "Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
            "using _register_pytree_node."
        ) from error
    children = [_written(child) for child in treespec.children()]
    return {"type": node.serialized_type_name, "context": text, "children_spec": children}


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote.

    Args:
        serialized: the text.

    Raises:
        NotImplementedError: a class in it is not registered here.
        ValueError: another protocol.
    """
    protocol, result = json.loads(serialized)
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")
    return _read(result)


def _read(result: dict[str, Any]) -> TreeSpec:
    name = result["type"]
    if name is None:
        return LEAF
    if name not in BY_SERIALIZED_NAME:
        raise NotImplementedError(f"Deserialization of {name} in TreeSpec is not registered.")
    node = SUPPORTED_NODES[BY_SERIALIZED_NAME[name]]
    context = json.loads(result["context"])
    if node.from_dumpable_context is not None:
        context = node.from_dumpable_context(context)
    return TreeSpec(node.type, context, [_read(child) for child in result["children_spec"]])
