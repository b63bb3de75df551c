"""Which ops only formulas call, and parameter lists and arguments of calls as text in generated code."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..spec.formula import called
from ..spec.model import Argument, Entry

Caller = tuple[str, str]  # an entry's name, and which of its expressions has the call


def callers(entries: Sequence[Entry]) -> dict[str, list[Caller]]:
    results: dict[str, dict[Caller, None]] = {}
    for entry in entries:
        for key, tree in expressions(entry):
            calls = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
            for name in sorted(calls - {"", entry.schema.name}):
                results.setdefault(name, {})[entry.name, key] = None
    return {name: list(each) for name, each in results.items()}


def expressions(entry: Entry) -> Iterator[tuple[str, ast.expr]]:
    if entry.compute.kind == "composite" and (tree := entry.compute.written or entry.compute.tree) is not None:
        yield "composite", tree
    if entry.other_dtypes is not None and (tree := entry.other_dtypes.written or entry.other_dtypes.tree) is not None:
        yield "other dtypes", tree
    kinds = {"where": entry.definitions, "gradient of": entry.gradients, "tangent of": entry.forward}
    for kind, formulas in kinds.items():
        for name, formula in formulas.items():
            if (tree := formula.written or formula.tree) is not None:
                yield f"{kind} {name}", tree


def methods_called(entry: Entry) -> Iterator[str]:
    nodes = (node for _, tree in expressions(entry) for node in ast.walk(tree))
    yield from (node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))


def part_of(entry: Entry, known: dict[str, list[Caller]]) -> str:
    if entry.variants != ("formula",):
        return ""
    keys: dict[str, list[str]] = {}
    for name, key in known.get(entry.schema.name, ()):
        keys.setdefault(name, []).append(key)
    return "; ".join(f"`{name}` ({', '.join(each)})" for name, each in keys.items())


Hint = Callable[[Argument], str]  # gives a parameter's annotation, its colon included


def parameter_list(
    arguments: Iterable[Argument], added: Sequence[str] = (), hint: Hint = lambda _: "", more: Sequence[str] = ()
) -> str:
    """Parameters with their defaults; those that are given by keyword, and what is added, stand behind a star.

    `more` are places that calls of an older form fill. Then nothing stands behind a star: Python calls a function
    sooner whose parameters all have places, which more than pays for looking at these.
    """
    plain: list[str] = []
    named: list[str] = []
    for argument in arguments:
        default = "" if argument.default is None else f"={argument.python_default}"
        (named if argument.keyword_only else plain).append(f"{argument.python_name}{hint(argument)}{default}")
    named += added
    if more:
        return ", ".join([*plain, *more, *named])
    return ", ".join([*plain, *(["*", *named] if named else [])])


def handed_on(arguments: Iterable[Argument]) -> list[str]:
    return [f"{a.python_name}=" * a.keyword_only + a.python_name for a in arguments]


def python_names(arguments: Iterable[Argument]) -> str:
    return ", ".join(a.python_name for a in arguments)


def renamed(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [line for theirs, ours in pairs for line in (f"if {theirs} is not None:", f"    {ours} = {theirs}")]


def behind(items: Iterable[str]) -> str:
    return "".join(f", {item}" for item in items)


def tuple_of(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' * (len(items) == 1)})"


def star_args(items: Iterable[str]) -> str:
    return "".join(f"{item}, " for item in items)
