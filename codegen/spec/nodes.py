"""From the text of a spec to YAML nodes, within bounds: of size, depth and characters, without aliases and tags.

YAML lets ten lines stand for a billion values. A spec needs nothing of the kind: it is a list of mappings of plain
values, so what would make it large or deep is refused where it stands, before any of it is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MOST_BYTES = 4_000_000  # of a file
MOST_NODES = 100_000
MOST_LEVELS = 8  # of lists and mappings in each other
MOST_CHARACTERS = 10_000  # of one value


class NodeError(yaml.MarkedYAMLError):
    """Something that YAML allows and a spec does not."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(problem=problem, problem_mark=mark)


def compose(content: str) -> yaml.Node | None:
    """The root of the one document of a file; None where it is empty.

    Raises:
        yaml.YAMLError: the text is no YAML, or more than a spec may be.
    """
    root: yaml.Node | None = None
    open_: list[yaml.CollectionNode] = []
    for number, event in enumerate(_events(content)):
        if number > MOST_NODES:
            raise NodeError(f"expected at most {MOST_NODES:,} values", event.start_mark)
        if isinstance(event, yaml.CollectionEndEvent):
            _close(open_.pop(), event)
        elif isinstance(event, yaml.NodeEvent):
            node = _node(event, len(open_))
            if open_:
                open_[-1].value.append(node)
            elif root is not None:
                raise NodeError("expected one document, found a second one", event.start_mark)
            else:
                root = node
            if isinstance(node, yaml.CollectionNode):
                open_.append(node)
    return root


def _events(content: str) -> Iterator[Any]:
    events: Iterator[Any] = yaml.parse(content, Loader=LOADER)
    return events


def _close(node: yaml.CollectionNode, event: Any) -> None:
    """The end of a list or a mapping: keys and values, which came in turn, become pairs."""
    node.end_mark = event.end_mark
    if isinstance(node, yaml.MappingNode):
        node.value = list(zip(node.value[::2], node.value[1::2], strict=True))


def _node(event: Any, depth: int) -> yaml.Node:
    """The node that an event begins or is."""
    if isinstance(event, yaml.AliasEvent):
        raise NodeError(
            f"expected a value, found the alias '*{event.anchor}': write out what it stands for", event.start_mark
        )
    if event.tag is not None:
        raise NodeError(f"expected a value, found the tag '{event.tag}': a spec has none", event.start_mark)
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event)
    if depth == MOST_LEVELS:
        raise NodeError(f"expected lists and mappings at most {MOST_LEVELS} deep", event.start_mark)
    kind = yaml.MappingNode if isinstance(event, yaml.MappingStartEvent) else yaml.SequenceNode
    return kind("", [], event.start_mark, event.end_mark, event.flow_style)


def _scalar(event: Any) -> yaml.ScalarNode:
    value = event.value
    if len(value) > MOST_CHARACTERS:
        problem = f"expected a value of at most {MOST_CHARACTERS:,} characters, found {len(value):,}"
        raise NodeError(problem, event.start_mark)
    strange = next((c for c in value if not c.isprintable() and c not in "\n\t"), None)
    if strange is not None:
        raise NodeError(f"expected characters that can be seen, found U+{ord(strange):04X}", event.start_mark)
    return yaml.ScalarNode("", value, event.start_mark, event.end_mark, event.style)
