"""The keys `flags` and `dispatch`, whose words are read as keys of their own, and the older names of keys.

    flags: [commutative, hook_order: [bias, weight]]
    dispatch: {batch: along, meta: same}

Older names are read for one version; each is noted with the name that it has now.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from ..language.syntax import one_of
from .fields import DISPATCH, FLAGS, RENAMED, Fields
from .model import Problem
from .source import Source

Pair = tuple[yaml.Node, yaml.Node]


class GroupedFields(Fields):
    """The keys of a mapping with those of its groups; `renamed` notes the older names among them."""

    def __init__(self, node: yaml.MappingNode, source: Source) -> None:
        self.renamed: list[Problem] = []
        super().__init__(node, source)

    def _pairs(self, node: yaml.MappingNode) -> Iterator[Pair]:
        for key, value in node.value:
            yield from self._ungrouped(key, value)

    def _ungrouped(self, key: yaml.Node, value: yaml.Node) -> Iterator[Pair]:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name == "flags":
            for item in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                if isinstance(item, yaml.ScalarNode):
                    yield from self._known(item, _scalar("true", item), name, "flag", FLAGS)
                elif isinstance(item, yaml.MappingNode):
                    for own, arg in item.value:
                        yield from self._known(own, arg, name, "flag", FLAGS)
                else:
                    self._note(item, "a flag is a word, or one with a value: [ignores: [sorted]]", name)
        elif name == "dispatch" and isinstance(value, yaml.MappingNode):
            for own, arg in value.value:
                yield from self._known(own, arg, name, "rule", DISPATCH)
        elif name == "dispatch":
            self._note(value, "rules are wanted here, as in {batch: along, meta: same}", name)
        else:
            if name in FLAGS or name in DISPATCH or name in RENAMED:
                message = f"the key '{name}' is now {now(name)}: the older form will no longer be read"
                self.renamed.append(Problem(self.source.where(key), self.op, "", message))
            yield (_scalar(RENAMED[name], key) if name in RENAMED else key), value

    def _known(
        self, key: yaml.Node, value: yaml.Node, group: str, what: str, allowed: tuple[str, ...]
    ) -> Iterator[Pair]:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name in allowed:
            yield key, value
        else:
            self._note(key, f"unknown {what} '{name}'{one_of(name, allowed)}", group)


def now(name: str) -> str:
    new = RENAMED.get(name, name)
    if new in FLAGS:
        return f"a flag, `flags: [{new}]`"
    return f"a rule, `dispatch: {{{new}: ...}}`" if new in DISPATCH else f"'{new}'"


def _scalar(value: str, like: yaml.Node) -> yaml.ScalarNode:
    node = yaml.ScalarNode("", value, like.start_mark, like.end_mark, None)
    vars(node).update({"source": vars(like)["source"]} if "source" in vars(like) else {})
    return node
