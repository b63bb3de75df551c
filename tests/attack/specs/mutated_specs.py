"""Random changes to entries of specgrad's own spec and to their sections, of their structure and of their texts."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.library.op_library import runtime_library, with_parts_by_name
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.fields import CHOICES, KEYS
from specgrad.codegen.spec.model import Entry
from specgrad.codegen.spec.source import compose, read_text

Pairs = list[tuple[str, Any]]

SLOTS = re.compile(r"\w+|[^\w\s]|\s+")
TOKENS = (
    *(
        "self",
        "other",
        "grad",
        "grads",
        "result",
        "result0",
        "result1",
        "indices",
        "dim",
        "input",
        "x",
        "None",
        "class",
    ),
    *("(", ")", "[", "]", ",", ".", "=", "*", "**", "-", "+", "/", "@", "<", "->", "?", "!", ":", "'", '"', "\\", "#"),
    *("Tensor", "Tensor?", "Tensor[]", "int", "int[]", "int[2]", "Scalar", "float", "bool", "str", "Generator?"),
    *("0", "1", "-1", "1e400", "10**9", "inf", "nan", "True", "T(3)", "V([1])", "I(3)", "lambda", "if", "else", "for"),
    *(
        "exp(self)",
        "add",
        "sum",
        "self.shape",
        "not_implemented",
        "non_differentiable",
        "auto_linear",
        "zero",
        "é",
        "\n",
    ),
)
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e400,
    10**40,
    "",
    " ",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    ["x"] * 30,
    "x" * 70,
    "_",
    "__",
)


def tree_entries() -> list[list[Pairs]]:
    """The entries of the spec in the tree as keys and plain values, tests included, each below its section."""
    root, tests = compose(read_text(SPEC)), tree_tests()
    assert root is not None
    found: list[list[Pairs]] = []
    section: list[Pairs] = []
    for node in root.value:
        pairs = [(key.value, plain(value)) for key, value in node.value]
        if pairs[0][0] == "section":
            section = [[pair for pair in pairs if pair[0] != "autocast"]]  # whose lists name other entries
        elif pairs[0][0] == "name":
            found.append([*section, pairs + tests.get(pairs[0][1].partition("(")[0], [])])
    spec = with_parts_by_name(load_spec(SPEC, SPEC.name)[0], runtime_library(True))
    return [[*group[:-1], with_names(group[-1], entry)] for group, entry in zip(found, spec.entries, strict=True)]


def with_names(pairs: Pairs, entry: Entry) -> Pairs:
    """The keys of an entry with those that its name stands for, as it will get another one."""
    message = dict(pairs)
    by_name = {key for key in ("kernel", "check", "meta") if entry.key_locations.get(key) == entry.where}
    more = [("kernel", entry.compute.text)] if "kernel" in by_name and entry.rows is None else []
    more += [("check", entry.check)] if "check" in by_name else []
    if "meta" not in by_name:
        return pairs + more
    rules = {**message.get("dispatch", {}), "meta": entry.shape}
    return [*((key, value) for key, value in pairs if key != "dispatch"), *more, ("dispatch", rules)]


def tree_tests() -> dict[str, Pairs]:
    """What lies beside the spec for each op, as keys and plain values."""
    roots = [compose(read_text(path)) for path in sorted((SPEC.resolve().parent / "tests" / "spec").glob("*.yaml"))]
    return {
        op.value: [(key.value, plain(value)) for key, value in keys.value]
        for root in roots
        if root is not None
        for op, keys in root.value
    }


def plain(node: Any) -> Any:
    """The value of a YAML node, all of its words as strings."""
    if isinstance(node.value, str):
        return node.value
    if node.value and isinstance(node.value[0], tuple):
        return {key.value: plain(value) for key, value in node.value}
    return [plain(item) for item in node.value]


def mutated(entries: list[list[Pairs]], rng: random.Random) -> str:
    """A spec of one or two entries under names of their own, each in its section, with one to four changes."""
    chosen = [renamed(pairs, n) for n in range(rng.choice((1, 1, 2))) for pairs in rng.choice(entries)]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        changed(rng.choice(chosen), rng)
    return "".join(shown(pairs) for pairs in chosen)


def renamed(pairs: Pairs, number: int) -> Pairs:
    retained = [(key, value) for key, value in pairs if key not in ("aliases", "operator")]  # which the tree's op has
    return [(key, f"our{number}_{value}" if key == "name" else value) for key, value in retained]


def shown(pairs: Pairs) -> str:
    """The entry as YAML, keys that came twice included."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in pairs]
    return "- " + "\n  ".join(lines or ["{}"]) + "\n"


def changed(pairs: Pairs, rng: random.Random) -> None:
    """One change of an entry, in place."""
    if not pairs:
        return
    at, to = rng.randrange(len(pairs)), rng.randrange(len(pairs))
    key, value = pairs[at]
    match rng.randrange(9):
        case 0:
            del pairs[at]
        case 1:
            pairs.insert(to, (key, value))
        case 2:
            pairs[at] = (rng.choice([*sorted(KEYS), *TOKENS]), value)
        case 3:
            pairs[at], pairs[to] = (key, pairs[to][1]), (pairs[to][0], value)
        case 4:
            pairs[at] = (key, rng.choice(ODD))
        case 5:
            known = rng.choice(sorted(CHOICES))
            pairs.append((known, rng.choice(CHOICES[known])))
        case _:
            pairs[at] = (key, torn(value, rng))


def torn(value: Any, rng: random.Random) -> Any:
    """A text with a word dropped, doubled, exchanged or put in; in a list or a mapping one of its texts."""
    if isinstance(value, list) and value:
        at = rng.randrange(len(value))
        return [torn(item, rng) if i == at else item for i, item in enumerate(value)]
    if isinstance(value, dict) and value:
        chosen = rng.choice(sorted(value))
        return {key: torn(item, rng) if key == chosen else item for key, item in value.items()}
    if not isinstance(value, str):
        return rng.choice(ODD)
    slot_values = SLOTS.findall(value) or [""]
    at = rng.randrange(len(slot_values))
    pieces = {
        "drop": [],
        "double": [slot_values[at]] * 2,
        "exchange": [rng.choice(TOKENS)],
        "put in": [slot_values[at], rng.choice(TOKENS)],
        "cut": [slot_values[at][: len(slot_values[at]) // 2]],
        "nest": ["(" * 30, slot_values[at], ")" * 30],
    }
    return "".join([*slot_values[:at], *pieces[rng.choice(sorted(pieces))], *slot_values[at + 1 :]])
