"""Reads hand-written Python modules with `ast`, none imported: public definitions, parameters and their reads."""

import ast
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

Arity = tuple[int, float]  # fewest and most arguments; the most may be infinite

RUNTIME = Path(__file__).resolve().parents[2] / "runtime"


def functions(path: Path) -> dict[str, Arity]:
    if not path.is_file():
        return {}
    return {name: arity_of(node.args) for name, node in defined_nodes(path) if isinstance(node, ast.FunctionDef)}


def offered_nodes(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    yield from list(defined_nodes(path))
    for name, (module, original) in siblings(path).items():
        results = dict(defined_nodes(module)) if module.is_file() else {}
        if _public(name) and original in results:
            yield name, results[original]


def siblings(path: Path) -> dict[str, tuple[Path, str]]:
    imports = [node for node in statements_of(path) if isinstance(node, ast.ImportFrom) and node.level]
    locations = [(path.parents[node.level - 1], (node.module or "__init__").split(".")) for node in imports]
    files = [folder.joinpath(*names[:-1], f"{names[-1]}.py") for folder, names in locations]
    pairs = [(file, alias) for file, node in zip(files, imports, strict=True) for alias in node.names]
    return {alias.asname or alias.name: (file, alias.name) for file, alias in pairs}


def defined_nodes(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    for node in statements_of(path):
        if isinstance(node, ast.FunctionDef) and _public(node.name):
            yield node.name, node
        targets = node.targets if isinstance(node, ast.Assign) else []
        yield from ((t.id, node) for t in targets if isinstance(t, ast.Name) and _public(t.id))


def statements_of(path: Path) -> list[ast.stmt]:
    """The statements of a module, to be looked at and not to be changed: a text is parsed once."""
    return _parsed(path.read_text(encoding="utf-8"), str(path)).body


@lru_cache(maxsize=1024)
def _parsed(text: str, name: str) -> ast.Module:
    return ast.parse(text, name)


def arity_of(arguments: ast.arguments) -> Arity:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required_keywords = sum(default is None for default in arguments.kw_defaults)
    max_args = math.inf if arguments.vararg or arguments.kwarg else positional + len(arguments.kwonlyargs)
    return positional - len(arguments.defaults) + required_keywords, max_args


def shown_arity(arity: Arity, noun: str = "argument") -> str:
    low, high = arity
    count = f"{low} or more" if high == math.inf else f"{low} to {high:.0f}" if high > low else f"{low}"
    return f"{count} {noun}{'s' * (count != '1')}"


def _public(name: str) -> bool:
    return not name.startswith("_")


@dataclass(frozen=True)
class Parameters:
    names: tuple[str, ...]  # that can be given by place
    required: int  # of these, the first so many
    max_args: float  # arguments by place; infinite with *args
    rest: str = ""  # the name behind the star
    first_hint: str = ""  # the annotation of the first
    gives: str = ""  # the annotation of the result
    function: ast.FunctionDef | None = field(default=None, compare=False, repr=False)

    @cached_property
    def read(self) -> frozenset[str]:
        return frozenset(_reads(self.function)) if self.function is not None else frozenset()

    def takes(self, count: int) -> bool:
        return self.required <= count <= self.max_args


def parameters_of(body: Iterable[ast.stmt]) -> dict[str, Parameters]:
    results: dict[str, Parameters] = {}
    for node in body:
        match node:
            case ast.FunctionDef(name=name, args=arguments) if not any(d is None for d in arguments.kw_defaults):
                results[name] = _parameters(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if other in results:
                results[name] = results[other]
    return results


def _parameters(function: ast.FunctionDef) -> Parameters:
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    hint = plain[0].annotation if plain else None
    return Parameters(
        tuple(argument.arg for argument in plain),
        len(plain) - len(arguments.defaults),
        math.inf if arguments.vararg else len(plain),
        arguments.vararg.arg if arguments.vararg else "",
        ast.unparse(hint) if hint else "",
        ast.unparse(function.returns) if function.returns else "",
        function,
    )


def _reads(function: ast.FunctionDef) -> set[str]:
    """The names that a function reads, but for what it returns as it came: `return x, y`."""
    handed_back: Sequence[ast.expr] = [
        item
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
        for item in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])
    ]
    blind = {id(item.value if isinstance(item, ast.Starred) else item) for item in handed_back}
    names = [node for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Load) and id(node) not in blind}
