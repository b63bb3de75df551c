"""How many lines entries and modules take, and which have a picture: the element-wise functions of one real number."""

import ast
import io
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from statistics import median

from ..spec.formula import called
from ..spec.model import Entry

NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


@dataclass(frozen=True)
class SpecStats:
    entries: int
    functions: int
    median_entry: float
    median_function: float


def spec_stats(path: Path, entries: Sequence[Entry]) -> SpecStats:
    lines = entry_lines(path.read_text(encoding="utf-8-sig"), entries)
    functions: dict[str, int] = {}
    for entry in entries:
        functions[entry.schema.name] = functions.get(entry.schema.name, 0) + lines[entry.name]
    return SpecStats(len(entries), len(functions), rounded(lines.values()), rounded(functions.values()))


def code_lines(path: Path) -> int:
    tokens = list(tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline))
    numbers: set[int] = set()
    for before, token in zip([tokens[-1], *tokens], tokens, strict=False):
        alone = token.type == tokenize.STRING and before.type in NO_CODE  # a statement of its own: a docstring
        if token.type not in NO_CODE and not alone:
            numbers.update(range(token.start[0], token.end[0] + 1))
    return len(numbers)


def rounded(counts: Iterable[int]) -> float:
    median_value = median([*counts] or [0])
    return int(median_value) if median_value == int(median_value) else median_value


def entry_lines(text: str, entries: Sequence[Entry]) -> dict[str, int]:
    lines = text.splitlines()
    starts = sorted(entry.where.line for entry in entries)
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    spans = {entry.name: own_lines(lines[entry.where.line - 1 : ends[entry.where.line] - 1]) for entry in entries}
    return {
        name: sum(bool(line.strip()) and not line.strip().startswith("#") for line in span)
        for name, span in spans.items()
    }


def own_lines(lines: Sequence[str]) -> list[str]:
    return [*lines[:1], *takewhile(lambda line: not line.startswith("- "), lines[1:])]


def picture_files(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {name: f"{entry.identifier}.svg" for name, entry in entries.items() if is_pictured(entry, entries)}


def is_pictured(entry: Entry, entries: Mapping[str, Entry]) -> bool:
    public = entry.variants != ("formula",) and not entry.schema.arguments[0].type.writes
    real = "float" in entry.dtypes and entry.result_dtype in (("same",), ("real",))
    has_defaults = all(a.type.is_tensor or a.default is not None for a in entry.schema.arguments)
    return public and real and has_defaults and is_pointwise(entry, entries)


def is_pointwise(entry: Entry, entries: Mapping[str, Entry]) -> bool:
    tensors = entry.tensor_arguments
    if len(tensors) != 1 or tensors[0].type.is_list or len(entry.schema.returns) != 1:
        return False
    if entry.compute.kind == "composite":
        plain = {e.schema.name for e in entries.values() if e.compute.kind == "elementwise"}
        nodes = list(ast.walk(entry.compute.tree or ast.Module([], [])))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        functions = [call.func for call in calls]
        others = [n for n in nodes if isinstance(n, ast.Subscript | ast.Attribute | ast.Tuple) and n not in functions]
        return not others and all(called(call) in plain for call in calls)
    return entry.compute.kind == "elementwise" and bool(entry.gradients)


def plain_values(entry: Entry) -> dict[str, ast.expr]:
    first = entry.samples[0].arguments if entry.samples else {}
    tensors = {a.name for a in entry.tensor_arguments}
    return {name: value for name, value in first.items() if name not in tensors}
