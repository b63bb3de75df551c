"""Which classes are nodes of a tree, how each is taken apart and put together again, and how a child is reached:
`tree[key]`, `tree[index]` or `tree.name`.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...locks import new_lock
from ...shapes import Size
from ...unknown_names import no_attribute


@dataclass(frozen=True)
class SequenceKey:
    """The place of a child in a sequence.

    Args:
        idx: its index.
    """

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The child of `sequence` at this place."""
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The place of a child in a mapping.

    Args:
        key: its key.
    """

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The child of `mapping` at this place."""
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The place of a child that is an attribute.

    Args:
        name: its name.
    """

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The child of `obj` at this place."""
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A path of keys as Python would write it.

    Args:
        kp: the keys, outermost first.

    Example:
        >>> keystr((MappingKey("a"), SequenceKey(0), GetAttrKey("x")))
        "['a'][0].x"
    """
    return "".join(str(key) for key in kp)


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """What a path of keys leads to.

    Args:
        obj: the tree that the path begins at.
        kp: the keys, outermost first.

    Example:
        >>> key_get({"a": [1, 2]}, (MappingKey("a"), SequenceKey(1)))
        2
    """
    for key in kp:
        obj = key.get(obj)
    return obj


class NodeDef(NamedTuple):
    """A class of nodes.

    Args:
        type: the class; `collections.namedtuple` stands for all named tuples.
        flatten_fn: gives the children and what else is needed to make the node again.
        unflatten_fn: makes the node from children and that.
        flatten_with_keys_fn: as flatten_fn, with pairs (key, child); None where places are not known.
        serialized_type_name: the name of the class in text; None where there is none.
        to_dumpable_context, from_dumpable_context: the context as something that JSON can write, and back.
    """

    type: Any
    flatten_fn: Callable[[Any], tuple[Any, Any]]
    unflatten_fn: Callable[[Any, Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[Any, Any]] | None = None
    serialized_type_name: str | None = None
    to_dumpable_context: Callable[[Any], Any] | None = None
    from_dumpable_context: Callable[[Any], Any] | None = None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
BY_SERIALIZED_NAME: dict[str, Any] = {}
_NAMED_TUPLES: dict[type, str] = {}  # those that have a name in text
_lock = new_lock()


def is_namedtuple_class(cls: type) -> bool:
    """Whether a class is one of named tuples.

    Args:
        cls: the class.
    """
    fields = getattr(cls, "_fields", None)
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(fields, tuple)


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a named tuple.

    Args:
        obj: the object.
    """
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is a named tuple, or a class of these; arguments as of `is_namedtuple_instance`."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def node_type(tree: Any) -> Any:
    kind = type(tree)
    return namedtuple if kind not in SUPPORTED_NODES and is_namedtuple_class(kind) else kind


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Any, Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[Any, Any]] | None = None,
) -> None:
    """Make the objects of a class nodes of trees.

    Args:
        cls: the class itself; objects of its subclasses stay leaves.
        flatten_fn: called with an object: a list of its children, and whatever else makes it what it is.
        unflatten_fn: called with children and the latter: an object.
        serialized_type_name: the name of the class for `treespec_dumps`.
        to_dumpable_context: turns the second result of flatten_fn into what JSON can write.
        from_dumpable_context: turns that back.
        flatten_with_keys_fn: as flatten_fn, with pairs of a key and a child.

    Raises:
        ValueError: the class is registered, or only one of the two functions for JSON is given.

    Example:
        >>> from specgrad.utils._pytree import SUPPORTED_NODES, _deregister_pytree_node
        >>> class Pair:
        ...     def __init__(self, first, second):
        ...         self.first, self.second = first, second
        >>> register_pytree_node(Pair, lambda p: ([p.first, p.second], None), lambda items, _: Pair(*items))
        >>> Pair in SUPPORTED_NODES
        True
        >>> _deregister_pytree_node(Pair)
    """
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    functions = flatten_fn, unflatten_fn, flatten_with_keys_fn
    with _lock:
        if cls in SUPPORTED_NODES:
            raise ValueError(f"{cls} is already registered as pytree node.")
        SUPPORTED_NODES[cls] = NodeDef(
            cls, *functions, serialized_type_name, to_dumpable_context, from_dumpable_context
        )
        if serialized_type_name is not None:
            BY_SERIALIZED_NAME[serialized_type_name] = cls


def deregister_pytree_node(cls: type) -> None:
    """Make the objects of a class leaves again.

    Args:
        cls: a class that was registered.
    """
    with _lock:
        BY_SERIALIZED_NAME.pop(SUPPORTED_NODES.pop(cls).serialized_type_name or "", None)


def register_named_tuple(cls: type, *, serialized_type_name: str) -> None:
    """Give a class of named tuples a name for `treespec_dumps`; nodes they all are.

    Args:
        cls: the class.
        serialized_type_name: the name.
    """
    with _lock:
        _NAMED_TUPLES[cls] = serialized_type_name


def register_dataclass(
    cls: type,
    *,
    field_names: Iterable[str] | None = None,
    drop_field_names: Iterable[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make the objects of a dataclass nodes, whose children are their fields; fields that are None are left out.

    Args:
        cls: the dataclass, all of whose fields are arguments of it.
        field_names: the fields that are children; all fields when left out.
        drop_field_names: fields that are neither kept nor made again.
        serialized_type_name: as of `register_pytree_node`.

    Raises:
        TypeError: the class is no dataclass.
        ValueError: fields that are neither children nor dropped.
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"register_dataclass(): expected a dataclass, but got {cls}")
    all_names = [field.name for field in dataclasses.fields(cls) if field.init]
    dropped = set(drop_field_names or ())
    names = [name for name in all_names if name not in dropped] if field_names is None else list(field_names)
    if wrong := set(all_names) - dropped ^ set(names):
        raise ValueError(f"register_dataclass(): {sorted(wrong)} of {cls} are fields of it or of field_names only")

    def split(obj: Any) -> tuple[list[tuple[Any, Any]], list[list[str]]]:
        set_names = [name for name in names if getattr(obj, name) is not None]
        pairs = [(GetAttrKey(name), getattr(obj, name)) for name in set_names]
        return pairs, [set_names, [name for name in names if name not in set_names]]

    def flatten(obj: Any) -> tuple[list[Any], list[list[str]]]:
        pairs, context = split(obj)
        return [child for _, child in pairs], context

    def unflatten(children: Iterable[Any], context: list[list[str]]) -> Any:
        return cls(**dict(zip(context[0], children, strict=True)), **dict.fromkeys(context[1]))

    register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name, flatten_with_keys_fn=split)


def _numbered(items: Iterable[Any]) -> list[tuple[Any, Any]]:
    return [(SequenceKey(index), item) for index, item in enumerate(items)]


def _of_sequence(kind: type, name: str, make: Callable[[Any], Any]) -> NodeDef:
    return NodeDef(
        kind, lambda x: (list(x), None), lambda c, _: make(c), lambda x: (_numbered(x), None), f"{name}.{kind.__name__}"
    )


def _of_mapping(make: Callable[[Any], Any], name: str) -> NodeDef:
    return NodeDef(
        make,
        lambda x: (list(x.values()), list(x)),
        lambda c, keys: make(zip(keys, c, strict=True)),
        lambda x: ([(MappingKey(key), value) for key, value in x.items()], list(x)),
        f"{name}.{make.__name__}",
    )


def _class_path(cls: Any) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _default_to_json(context: Any) -> Any:
    factory = context[0]
    return {"default_factory": None if factory is None else _class_path(factory), "keys": context[1]}


def _default_from_json(result: Any) -> Any:
    if result["default_factory"] is None:
        return [None, result["keys"]]
    known = {_class_path(cls): cls for cls in (int, float, str, bool, complex, bytes, *SUPPORTED_NODES)}
    if result["default_factory"] not in known:
        raise ValueError(f"treespec_loads(): unknown default factory {result['default_factory']!r}")
    return [known[result["default_factory"]], result["keys"]]


def _class_to_path(cls: type) -> str:
    if cls not in _NAMED_TUPLES:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {cls} because we didn't register a "
            "serializated_type_name. Please register using `_register_namedtuple`."
        )
    return _NAMED_TUPLES[cls]


def _class_from_path(name: str) -> type:
    for cls, known in _NAMED_TUPLES.items():
        if known == name:
            return cls
    raise NotImplementedError(f"Can't deserialize TreeSpec of namedtuple class {name}: it is not registered.")


for _node in (
    _of_sequence(tuple, "builtins", tuple),
    _of_sequence(list, "builtins", list),
    _of_sequence(Size, "specgrad", tuple),  # the function of a leaf may give what is no size
    _of_mapping(dict, "builtins"),
    _of_mapping(OrderedDict, "collections"),
    NodeDef(
        deque,
        lambda x: (list(x), x.maxlen),
        lambda c, length: deque(c, maxlen=length),
        lambda x: (_numbered(x), x.maxlen),
        "collections.deque",
    ),
    NodeDef(
        defaultdict,
        lambda x: (list(x.values()), [x.default_factory, list(x)]),
        lambda c, context: defaultdict(context[0], zip(context[1], c, strict=True)),
        lambda x: ([(MappingKey(key), value) for key, value in x.items()], [x.default_factory, list(x)]),
        "collections.defaultdict",
        _default_to_json,
        _default_from_json,
    ),
    NodeDef(
        namedtuple,
        lambda x: (list(x), type(x)),
        lambda c, cls: cls(*c),
        lambda x: ([(GetAttrKey(name), item) for name, item in zip(x._fields, x, strict=True)], type(x)),
        "collections.namedtuple",
        _class_to_path,
        _class_from_path,
    ),
):
    SUPPORTED_NODES[_node.type] = _node
    BY_SERIALIZED_NAME[str(_node.serialized_type_name)] = _node.type


_built_in = {node.type.__name__.lower(): node for node in SUPPORTED_NODES.values()}


def named(name: str) -> Any:
    """One of PyTorch's private names for the functions of these nodes: `_dict_flatten`, `_list_flatten_with_keys`."""
    kind, _, function = name.removeprefix("_").partition("_")
    if kind in _built_in and f"{function}_fn" in NodeDef._fields:
        return getattr(_built_in[kind], f"{function}_fn")
    raise no_attribute(__name__, name)
