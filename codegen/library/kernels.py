"""Kernels of row programs, who computes an op on a CUDA device, and the loops that a kernel calls: read off sources."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..language.row_programs import Program
from ..spec.model import Entry, Spec
from ..spec.row_program import NO_PART, check_of_rows
from .modules import offered_nodes, parameters_of, statements_of
from .op_library import RULE_FILES, Known, OpLibrary, Part

FOLDER = ("kernels", "programs")  # in a generated package
KINDS = ("kernel", "check")  # of functions that a program gives, and the keys that name such


class RowPart(Part):
    """The kernel of a row program, its plan or its check, in a module of the generated package."""

    @property
    def op(self) -> str:
        return self.name.removesuffix("_rows") if self.kind == "check" else self.name

    @property
    def module(self) -> tuple[str, ...]:
        return ("checks", self.op) if self.kind == "check" else (*FOLDER, f"cpu_{self.op}")

    @property
    def spelling(self) -> str:
        return f"{self.alias}.plan" if self.kind == "plan" else super().spelling

    @property
    def shown(self) -> str:
        return f"{'/'.join(self.module)}.py"

    @property
    def alias(self) -> str:
        return f"_{'check' if self.kind == 'check' else 'rows'}_{self.op}"

    def import_line(self, depth: int) -> str:
        *folder, last = self.module
        return f"from {'.' * depth}{'.'.join(folder)} import {last} as {self.alias}"


def row_parts(entries: Iterable[Entry]) -> tuple[Part, ...]:
    op_library = OpLibrary(Path(), "", relative=True, locations=dict.fromkeys(RULE_FILES, ()))
    matches: list[Part] = []
    for entry in entries:
        if entry.program is not None:
            args = [a.name for a in entry.schema.arguments]
            passed = [a.name for a in entry.schema.arguments if a.type.base not in NO_PART]
            where, check = Path(entry.where.file), check_of_rows(entry.schema)
            stub = _stub(entry, entry.identifier, passed)
            kinds = ("kernel", "plan") if _is_planned(entry) else ("kernel",)
            matches += [RowPart(op_library, kind, entry.identifier, where, stub) for kind in kinds]
            matches.append(RowPart(op_library, "check", check, where, _stub(entry, check, ["name", *args])))
    return tuple(matches)


def _is_planned(entry: Entry) -> bool:
    return entry.rows.is_planned if entry.rows is not None else entry.indexed is not None


def _stub(entry: Entry, name: str, arguments: Sequence[str]) -> ast.FunctionDef:
    listed = ", ".join(arguments)
    doc = f'"""{demand_of(entry)}"""' if name != entry.identifier else "pass"
    tree = ast.parse(f"def {name}({listed}):\n    {doc}\n    return compute({listed})")
    value = tree.body[0]
    assert isinstance(value, ast.FunctionDef)
    value.lineno = entry.where.line
    return value


def demand_of(entry: Entry) -> str:
    if entry.rows is None:
        return "shapes that agree."
    phrases = ["`dim` in range"] if any(a.name == "dim" for a in entry.schema.arguments) else []
    phrases += [f"`{p.array}` of one row" for p in entry.rows.of_kind("shared")]
    phrases += [f"`{p.array}` of one number a row" for p in entry.rows.of_kind("each")]
    rows = [f"`{p.array}`" for p in entry.rows.of_kind("row")]
    phrases += [f"{' and '.join(rows)} of one shape"] if len(rows) > 1 else []
    return ", ".join(phrases) + "."


def with_row_kernels(known: Known, spec: Spec) -> Known:
    parts = row_parts(spec.entries)
    if not parts:
        return known
    named = {key: known.named.get(key, frozenset()).union(p.name for p in parts if p.kind == key) for key in KINDS}
    own = {kind: parameters_of(part.node for part in parts if part.kind == kind) for kind in KINDS}
    parameters = {**known.parameters, **{kind: {**known.parameters.get(kind, {}), **own[kind]} for kind in KINDS}}
    by_hand = known.named.get("kernel", frozenset())
    return replace(known, named={**known.named, **named}, parameters=parameters, by_hand=by_hand)


LIBRARIES = "cuda.libraries"  # the room of cuBLAS, cuFFT and cuSOLVER, as modules import from it


def files_beside(file: Path) -> Iterator[Path]:
    for name in dict.fromkeys((file.name.replace("cpu", "cuda"), "cuda.py")):
        result = file.with_name(name)
        if result != file and result.is_file():
            yield result


def on_cuda(kernel: Part) -> str:
    for file in files_beside(kernel.file):
        if kernel.name in dict(offered_nodes(file)):
            imports = (node for node in statements_of(file) if isinstance(node, ast.ImportFrom))
            return "library" if any((node.module or "").startswith(LIBRARIES) for node in imports) else "kernel"
    return "host"


def programs_named(kernel: Part, programs: Iterable[Program]) -> tuple[Program, ...]:
    known = {program.name: program for program in programs}
    for file in files_beside(kernel.file):
        nodes = dict(offered_nodes(file))
        if kernel.name in nodes:
            return tuple(known[word] for word in dict.fromkeys(kernel_names_in(kernel.name, nodes)) if word in known)
    return ()


def kernel_names_in(name: str, nodes: Mapping[str, ast.stmt], seen: set[str] | None = None) -> Iterator[str]:
    seen = set() if seen is None else seen
    seen.add(name)
    for node in ast.walk(nodes[name]):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name) and node.id in nodes and node.id not in seen:
            yield from kernel_names_in(node.id, nodes, seen)


COMPILERS = ("jit", "njit")  # decorators, with or without arguments
Definition = tuple[Path, str]  # of a definition: its module and its name there


def loops(start: Part) -> Iterator[Part]:
    seen: set[Definition] = set()
    todo = [(start.file, start.name)]
    while todo:
        path, name = definition = todo.pop(0)
        node = definitions(path).get(name)
        if definition in seen or node is None or isinstance(node, ast.ClassDef):
            continue
        seen.add(definition)
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        called = [d.func if isinstance(d, ast.Call) else d for d in decorators]
        if not any(isinstance(d, ast.Name) and d.id in COMPILERS for d in called):
            todo += used(start.op_library.folder, path, node)
        elif not name.startswith("_"):
            yield Part(start.op_library, "loop", name, path, node)


def used(package: Path, path: Path, node: ast.stmt) -> Iterator[Definition]:
    known, here = imported(package, path), definitions(path)
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            file, original = known.get(part.value.id, (None, ""))
            if file is not None and not original:
                yield file, part.attr
        elif isinstance(part, ast.Name) and part.id in here:
            yield path, part.id
        elif isinstance(part, ast.Name) and (definition := known.get(part.id)) is not None and definition[1]:
            yield definition


@cache
def definitions(path: Path) -> dict[str, ast.stmt]:
    results: dict[str, ast.stmt] = {}
    for node in statements_of(path) if path.is_file() else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            results[node.name] = node
        elif isinstance(node, ast.Assign):
            results |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            results[node.target.id] = node
    return results


@cache
def imported(package: Path, path: Path) -> dict[str, Definition]:
    results: dict[str, Definition] = {}
    for node in statements_of(path) if path.is_file() else ():
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                module = folder / f"{alias.name}.py"
                definition = (module, "") if module.is_file() else (folder.with_suffix(".py"), alias.name)
                if definition[0].is_relative_to(package):
                    results[alias.asname or alias.name] = definition
    return results
