"""Structures of trees as text (JSON), as PyTorch writes them."""

from __future__ import annotations

import json
from typing import Any

from .registry import BY_SERIALIZED_NAME, SUPPORTED_NODES
from .structure import LEAF, TreeSpec

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
