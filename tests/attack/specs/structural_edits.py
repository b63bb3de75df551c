"""Slips of a hand that edits entries of specgrad's own spec: each makes an entry that has to be refused.

An edit takes an entry as keys and plain values and gives the spec that comes of it, or None where the entry has nothing
of the kind. The entry has a name of its own and stands in a spec outside the tree.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.proof.derive import load_spec

from .mutated_specs import Pairs, renamed, shown, tree_entries

Edit = Callable[[Pairs, random.Random], Pairs | None]

ARGUMENT = re.compile(r"(?P<type>[A-Z]?\w+(?:\([a-z]!?\))?\??(?:\[\d*\])?\??) (?P<name>\w+)(?:=(?P<default>[^,()]+))?")
INTEGRAL = re.compile(r"=\d+(?![\w.])")  # a whole number that is the value of an argument
COMPUTE = ("elementwise", "kernel", "view", "composite")


def edited_specs(rng: random.Random, each: int) -> list[tuple[str, str]]:
    """(edit and entry, spec) for so many entries of each edit."""
    entries = [pairs for pairs in whole_entries() if "example" in dict(pairs)]
    found = []
    for edit in EDITS:
        rng.shuffle(entries)
        made = ((pairs, edit(renamed(pairs, 0), rng)) for pairs in entries)
        chosen = [(dict(pairs)["name"], result) for pairs, result in made if result is not None][:each]
        found += [(f"{edit.__name__}, {name}", shown(result)) for name, result in chosen]
    return found


def whole_entries() -> list[Pairs]:
    """The entries of the tree with what their sections say for them."""
    pairs = zip(tree_entries(), load_spec(SPEC, SPEC.name)[0].entries, strict=True)
    return [_with_defaults(group, entry.inherited) for group, entry in pairs]


def _with_defaults(group: list[Pairs], inherited: tuple[str, ...]) -> Pairs:
    defaults, own = dict(group[0]).get("defaults", {}), dict(group[-1])
    flags = [flag for flag in defaults.get("flags", []) if flag in inherited]
    rules = {key: rule for key, rule in defaults.get("dispatch", {}).items() if key in inherited}
    grouped = {"flags": [*own.get("flags", []), *flags], "dispatch": rules | own.get("dispatch", {})}
    given = [(key, value) for key, value in group[-1] if key not in grouped]
    inner = [(key, defaults[key]) for key in inherited if key in defaults]
    return [*given, *((key, value) for key, value in grouped.items() if value), *inner]


def schema(pairs: Pairs) -> str:
    return str(dict(pairs)["name"])


def arguments(pairs: Pairs) -> list[re.Match[str]]:
    """The arguments of the schema."""
    text = schema(pairs)
    begin, end = text.index("("), text.index(") ->")
    return list(ARGUMENT.finditer(text, begin + 1, end))


def with_value(pairs: Pairs, key: str, value: object) -> Pairs:
    return [(k, value if k == key else v) for k, v in pairs]


def with_schema(pairs: Pairs, at: re.Match[str], text: str) -> Pairs:
    """The entry with another text for one argument of its schema."""
    old = schema(pairs)
    return with_value(pairs, "name", old[: at.start()] + text + old[at.end() :])


def drops_how_it_is_computed(pairs: Pairs, rng: random.Random) -> Pairs | None:
    return [(key, value) for key, value in pairs if key not in COMPUTE]


def drops_a_gradient(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """Not of an element-wise op, whose gradients are derived where they are left out."""
    found = _formulas(pairs)
    chosen = rng.choice(found) if found and "elementwise" not in dict(pairs) else None
    return [(key, value) for key, value in pairs if key != chosen] if chosen else None


def drops_the_tangent(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """Of an op with a formula: without any the tangent is derived too."""
    needed = "result" in dict(pairs) and _formulas(pairs)
    return [(k, v) for k, v in pairs if k != "result"] if needed else None


def _formulas(pairs: Pairs) -> list[str]:
    """The tensors whose gradients the entry writes."""
    names = {a["name"] for a in arguments(pairs) if a["type"].startswith("Tensor")}
    return [key for key, value in pairs if key in names and "grad" in value]


def drops_the_samples(pairs: Pairs, rng: random.Random) -> Pairs | None:
    needed = not {"elementwise"} & dict(pairs).keys() and "samples" in dict(pairs)
    return [(k, v) for k, v in pairs if k != "samples"] if needed else None


def empties_the_samples(pairs: Pairs, rng: random.Random) -> Pairs | None:
    return with_value(pairs, "samples", []) if "samples" in dict(pairs) else None


def gives_a_key_twice(pairs: Pairs, rng: random.Random) -> Pairs | None:
    return [*pairs, rng.choice(pairs)]


def writes_a_key_large(pairs: Pairs, rng: random.Random) -> Pairs | None:
    chosen = rng.choice([key for key, _ in pairs if key != "name"])
    return [(key.upper() if key == chosen else key, value) for key, value in pairs]


def misspells_a_key(pairs: Pairs, rng: random.Random) -> Pairs | None:
    chosen = rng.choice([key for key, _ in pairs if key != "name"])
    return [(f"{key}s_" if key == chosen else key, value) for key, value in pairs]


def adds_an_argument(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """Kernels get it, expressions do not read it; a view's function or a check might."""
    own, keys = arguments(pairs), dict(pairs).keys()
    if not own or "*" in schema(pairs) or {"view", "check"} & keys:
        return None
    return with_schema(pairs, own[-1], f"{own[-1][0]}, int unheard_of=0")


def drops_an_argument(pairs: Pairs, rng: random.Random) -> Pairs | None:
    own = [a for a in arguments(pairs)[1:] if a["default"] is None]
    if not own or "samples" not in dict(pairs):
        return None
    chosen, old = own[-1], schema(pairs)
    return with_value(pairs, "name", old[: chosen.start()].rstrip(" ,") + old[chosen.end() :])


def writes_an_argument_large(pairs: Pairs, rng: random.Random) -> Pairs | None:
    chosen = next((a for a in arguments(pairs) if a["name"] == "self"), None)
    return with_schema(pairs, chosen, f"{chosen['type']} Self") if chosen else None


def exchanges_arguments(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """Of a function that the entry names, which has the names of the schema."""
    own = arguments(pairs)
    positions = [a["name"] for a in own]
    if positions[:2] != ["self", "dim"] or any(a["default"] for a in own[:2]) or dict(pairs).get("check") != "one_dim":
        return None
    old = schema(pairs)
    return with_value(pairs, "name", f"{old[: own[0].start()]}{own[1][0]}, {own[0][0]}{old[own[1].end() :]}")


def makes_an_argument_a_word(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """A tensor with a gradient formula becomes a string."""
    found = [a for a in arguments(pairs) if a["type"] == "Tensor" and a["name"] in dict(pairs)]
    return with_schema(pairs, found[0], f"str {found[0]['name']}") if found else None


def misspells_a_name(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """In the formula of a gradient."""
    formula = dict(pairs).get("self")
    if not isinstance(formula, str) or "grad" not in formula or "not_implemented" in formula:
        return None
    return with_value(pairs, "self", formula.replace("grad", "gard"))


def forgets_a_bracket(pairs: Pairs, rng: random.Random) -> Pairs | None:
    formula = dict(pairs).get("self")
    return with_value(pairs, "self", formula[:-1]) if isinstance(formula, str) and formula.endswith(")") else None


def calls_what_is_not_there(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """A kernel, a view, a check or a batching rule."""
    found = [key for key, _ in pairs if key in ("kernel", "view", "check")]
    rules = dict(pairs).get("dispatch", {})
    if "batch" in rules and rng.random() < 1 / (len(found) + 1):
        return with_value(pairs, "dispatch", {**rules, "batch": "no_such_thing"})
    return with_value(pairs, rng.choice(found), "no_such_thing") if found else None


def takes_an_alias(pairs: Pairs, rng: random.Random) -> Pairs | None:
    return [*pairs, ("aliases", [rng.choice(("absolute", "negative", "multiply", "arccos"))])]


def takes_an_operator(pairs: Pairs, rng: random.Random) -> Pairs | None:
    return [*pairs, ("operator", rng.choice("+-*/@&"))] if "operator" not in dict(pairs) else None


def takes_a_name(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """That of another op of specgrad's."""
    return with_value(
        pairs, "name", rng.choice(("exp", "sum", "Exp", "mul_")) + schema(pairs)[schema(pairs).index("(") :]
    )


def gives_more_dtypes_than_outputs(pairs: Pairs, rng: random.Random) -> Pairs | None:
    rest = [(key, value) for key, value in pairs if key != "result_dtype"]
    return [*rest, ("result_dtype", ["same"] * 7)]


def counts_beyond_all_bounds(pairs: Pairs, rng: random.Random) -> Pairs | None:
    """A number of a sample."""
    samples = dict(pairs).get("samples")
    if not isinstance(samples, list) or not re.search(INTEGRAL, samples[0]):
        return None
    return with_value(pairs, "samples", [re.sub(INTEGRAL, rng.choice(("=1e999", "=10**40")), samples[0], count=1)])


EDITS: tuple[Edit, ...] = (
    drops_how_it_is_computed,
    drops_a_gradient,
    drops_the_tangent,
    drops_the_samples,
    empties_the_samples,
    gives_a_key_twice,
    writes_a_key_large,
    misspells_a_key,
    adds_an_argument,
    drops_an_argument,
    writes_an_argument_large,
    exchanges_arguments,
    makes_an_argument_a_word,
    misspells_a_name,
    forgets_a_bracket,
    calls_what_is_not_there,
    takes_an_alias,
    takes_an_operator,
    takes_a_name,
    gives_more_dtypes_than_outputs,
    counts_beyond_all_bounds,
)
