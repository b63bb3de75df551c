"""The keys of an entry, also in the groups `flags` and `dispatch`, read as plain values that keep their places."""

from collections.abc import Collection, Iterator
from dataclasses import replace

import yaml

from ..language.syntax import one_of
from .formula import Report
from .model import MAX_PROBLEMS, Problem, Where
from .source import Source, SourceString

COMPUTE = ("elementwise", "kernel", "rows", "indexed", "view", "composite")
FLOW = {"list": "[", "mapping": "{"}  # how each begins
NONE = "none"  # in the place of a function's name: that of the op's name is not meant either
COMPUTED = "computed"  # the word of `result_dtype` for outputs that keep the digits of the computation
WITHOUT_GRADIENT = ("bool", "int32", "int64")  # the words of `result_dtype` for outputs of one dtype, whatever goes in

# The errors of wrong calls; LinAlgError where numbers are wrong, which computing shows.
ERRORS = ("IndexError", "LinAlgError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError")
FLOATS = ("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "bool")
DTYPES = (*FLOATS, *INTEGERS)
NUMBERS = {"int": 2, "float": 2.5}  # words of `gives` for Python's numbers, and what stands for them
AUTOCAST = ("lower", "float32", "widest", "promote", "off")  # of `autocast`; others are like ARGUMENT and refuse(why)
AUTOCAST_DEVICES = ("cpu", "cuda")
REFUSED = "refused"  # the word of `gives` for dtypes that the op does not take

TRUTH_VALUED = (
    *("commutative", "replaces", "output_differentiability", "once_differentiable", "complex", "precise"),
    *("accepts_f16", "converts", "takes_out"),
)

# Keys whose value is one of a few words, or a list of them.
CHOICES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(TRUTH_VALUED, ("True", "False", "true", "false")),
    "variants": ("function", "method", "inplace", "formula"),
    "operator": (
        *("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "~", "<<", ">>", "r-"),
        *("==", "!=", "<", "<=", ">", ">=", "neg", "abs", "invert"),
    ),
    "namespace": ("nn.functional", "special", "linalg", "fft"),
    "dtype": ("promote", "float", "match", "accumulate", "same", "none"),
    "result_dtype": ("same", "real", "complex", COMPUTED, *WITHOUT_GRADIENT),
    "dtypes": ("bool", "int", "float", "complex"),
    "identity": ("bool", "int", "float", "complex"),
    "lazy": ("conjugate", "negative"),
    "kink": ("average", "smaller", "larger", "left", "right"),
}

PER_ITEM = ("result_dtype", "output_differentiability", "kink")  # of which a list has a word for each output or formula

# Keys of which a section may give the value for its entries, besides formulas; the others say what is said of one op.
COMMON = (
    *("variants", "namespace", "dtype", "dtypes", "result_dtype", "output_differentiability", "replaces", "kink"),
    *("complex", "check", "batch", "meta", "domain", "samples", "edge_cases", "errors", "dtype_table"),
    "precise",
)

# Keys that say with what an op is tested, not what it is. Those of an op may stand in a file beside the spec.
SAMPLE_KEYS = ("reference", "samples", "edge_cases", "errors", "dtype_table", "domain")
TEST_KEYS = (*SAMPLE_KEYS, "skip_grad_args", "complex", "example", "verify", "accuracy")

# The words of `flags`, true or with a value, and of `dispatch`, which name rules of other ways to compute.
FLAGS = (
    *("commutative", "replaces", "precise", "accepts_f16", "converts", "takes_out", "once_differentiable"),
    *("identity", "ignores", "hook_order", "memory_format_of", "lazy", "eager"),
)
DISPATCH = ("batch", "sparse", "conj", "onnx", "autocast", "meta")
RENAMED = {  # older names of keys, which are read for one version
    "hard": "edge_cases",
    "refuses": "errors",
    "gives": "dtype_table",
    "unvaried": "skip_grad_args",
    "stored": "accepts_f16",
    "hooked": "hook_order",
    "laid_like": "memory_format_of",
    "turns": "lazy",
    "at_once": "eager",
    "marked": "conj",
    "shape": "meta",
}

KEYS = frozenset(
    ("name", "aliases", "backward", "check", "deprecated", "try", "flags", "dispatch", "gradients", "tangents")
    + ("where", "slope_of", "other_dtypes", "if_written", "doc", *TEST_KEYS, *FLAGS, *DISPATCH, *COMPUTE, *CHOICES)
)
RESERVED = KEYS | RENAMED.keys()  # what no argument and no output may be called


Pair = tuple[yaml.Node, yaml.Node]


class Enough(Exception):
    """An entry has more problems than anybody reads at once."""


class Fields:
    """The keys of one mapping, readers for the values they may have, and the problems found in reading."""

    def __init__(self, node: yaml.MappingNode, source: Source) -> None:
        self.source = source
        self.start = source.where(node)
        self.problems: list[Problem] = []
        self.keys: dict[str, yaml.Node] = {}
        self.values: dict[str, yaml.Node] = {}
        self.op = ""
        for key, value in self._pairs(node):
            if key.value == "name" and "name" in self.keys:  # what follows is another entry's
                first = self.source.where(self.keys["name"]).line
                self._note(key, f"key 'name' is given twice, first in line {first}: an entry begins with `- name:`")
                break
            self._add(key, value)
        if isinstance(schema := self.values.get("name"), yaml.ScalarNode):
            self.op = schema.value.partition("(")[0].strip()
        self.problems = [replace(problem, op=self.op) for problem in self.problems]

    def _pairs(self, node: yaml.MappingNode) -> Iterator[Pair]:
        return iter(node.value)

    def _add(self, key: yaml.Node, value: yaml.Node) -> None:
        name = key.value
        if not isinstance(key, yaml.ScalarNode):
            self._note(key, "a key is one word, not a list or a mapping")
        elif name in self.keys:
            where, first = self.source.where(key), self.source.where(self.keys[name])
            shown = f"in line {first.line}" if first.file == where.file else f"at {first}"
            self._note(where, f"key '{name}' is given twice, first {shown}")
        else:
            self.keys[name], self.values[name] = key, value

    def report(self, spot: Where | yaml.Node, message: str, argument: str = "") -> None:
        self._note(spot, message, argument)
        if len(self.problems) >= MAX_PROBLEMS:
            raise Enough

    def _note(self, spot: Where | yaml.Node, message: str, argument: str = "") -> None:
        where = spot if isinstance(spot, Where) else self.source.where(spot)
        self.problems.append(Problem(where, self.op, argument, message))

    def about(self, argument: str) -> Report:
        return lambda where, message: self.report(where, message, argument)

    def where(self, key: str) -> Where:
        return self.source.where(self.values[key])

    def text(self, key: str) -> SourceString | None:
        node = self.values.get(key)
        if isinstance(node, yaml.ScalarNode):
            return self.source.text(node)
        if node is not None:
            category = "list" if isinstance(node, yaml.SequenceNode) else "mapping"
            hint = (
                f": an expression that begins with '{FLOW[category]}' stands in quotes"
                if getattr(node, "flow_style", False)
                else ""
            )
            self.report(node, f"one value is wanted here, not a {category}{hint}", key)
        return None

    def plain(self, key: str) -> str | None:
        text = self.text(key)
        return text.value if text else None

    def items(self, key: str) -> list[SourceString]:
        node = self.values.get(key)
        return [] if node is None else self._listed(key, node)

    def name_list(self, key: str) -> list[str]:
        """The plain values of a key as YAML has them, unchecked and without their places."""
        node = self.values.get(key)
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return [item.value for item in nodes if isinstance(item, yaml.ScalarNode)]

    def _listed(self, key: str, node: yaml.Node) -> list[SourceString]:
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not nodes:
            self.report(node, "an empty list says nothing: fill it, or leave the key out", key)
        for item in nodes:
            if not isinstance(item, yaml.ScalarNode):
                self.report(item, "a list of plain values is wanted here", key)
            elif (
                getattr(node, "flow_style", False) and not item.style and item.value.count("(") > item.value.count(")")
            ):
                self.report(item, f"'{item.value}' ends at a comma: a call stands in quotes", key)
                return []
        return [self.source.text(item) for item in nodes if isinstance(item, yaml.ScalarNode)]

    def groups(self, key: str, name_list: Collection[str]) -> dict[str, list[SourceString]]:
        """The values of a key that takes a list of scalars, or a mapping from words to such lists; no word is ''."""
        node = self.values.get(key)
        if not isinstance(node, yaml.MappingNode):
            return {"": self.items(key)}
        results: dict[str, list[SourceString]] = {}
        for word, value in node.value:
            name = word.value if isinstance(word, yaml.ScalarNode) else ""
            if name not in name_list:
                self.report(word, f"unknown word '{name}'{one_of(name, name_list)}", key)
            elif name in results:
                self.report(word, f"'{name}' is given twice", key)
            else:
                results[name] = self._listed(key, value)
        return results

    def choices(self, key: str) -> tuple[str, ...]:
        strings = self.items(key)
        for text in strings:
            if text.value not in CHOICES[key]:
                self.report(text.where(), f"unknown value '{text.value}'{one_of(text.value, CHOICES[key])}", key)
        for number, text in enumerate(strings if key not in PER_ITEM else ()):
            if text.value in [other.value for other in strings[:number]]:
                self.report(text.where(), f"'{text.value}' is said twice: leave one out", key)
        return tuple(text.value for text in strings if text.value in CHOICES[key])

    def choice(self, key: str) -> str | None:
        return next(iter(self.choices(key)), None) if self.text(key) else None


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
