"""The documentation of a spec's ops: docs/ops.md and a page per family in the tree, one REFERENCE.md outside it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from urllib.parse import quote

from ..emit.calls import parameter_list, part_of
from ..emit.docstrings import DocCode, Lines
from ..emit.files import Files
from ..emit.op import OpCode
from ..emit.render import Renderer
from ..library.bases import SPEC
from ..library.families import Family, families
from ..spec.memo import MEMO
from ..spec.model import Entry
from . import op_text
from .statistics import picture_files, plain_values, spec_stats


@dataclass(frozen=True)
class OpPart:
    renderer: Renderer
    code: OpCode

    @property
    def entry(self) -> Entry:
        return self.code.entry

    @property
    def location(self) -> str:
        target = self.renderer.target
        return quote(self.entry.where.file if target.in_tree else target.spec_path) + f"#{self.entry.name}"

    @property
    def rows(self) -> Lines:
        matches = [
            ("part of", part_of(self.entry, self.renderer.callers)),
            ("computed", op_text.computed(self.renderer, self.entry)),
            ("on CUDA", op_text.on_cuda(self.renderer, self.entry)),
            *op_text.row_programs(self.renderer, self.entry),
            ("where", "; ".join(op_text.definitions(self.entry))),
            ("in NumPy", op_text.reference(self.entry)),
            ("dtypes", op_text.dtypes(self.code)),
            *op_text.gradients(self.entry),
            ("saved", "; ".join(op_text.saved(self.renderer, self.entry))),
            *op_text.forward(self.entry),
            ("domain", op_text.domain(self.entry)),
            ("edge cases", op_text.hard_points(self.entry)),
            ("vmap", op_text.vmap(self.code)),
            ("autocast", op_text.autocast(self.entry)),
            ("sparse", op_text.sparse(self.code)),
            ("conjugate views", op_text.conj_rule(self.code)),
            ("in ONNX", op_text.onnx(self.entry)),
            *(("raises", f"{errors}; {phrases}") for errors, phrases in self.code.docs.raises),
            ("bad calls", op_text.refuses(self.entry)),
            ("not verified", self.entry.unverified and f"because {self.entry.unverified}"),
        ]
        return [(label, phrases) for label, phrases in matches if phrases]


@dataclass(frozen=True)
class OpSection:
    parts: tuple[OpPart, ...]
    pictures: dict[str, str]  # entry -> file of its picture

    @property
    def name(self) -> str:
        return self.parts[0].entry.schema.name

    @property
    def is_public(self) -> bool:
        return not self.name.startswith("_") and any(is_offered(part.entry) for part in self.parts)

    @cached_property
    def docs(self) -> DocCode:
        return DocCode(self.name, tuple(part.code for part in self.parts))

    @property
    def calls(self) -> list[str]:
        return list(dict.fromkeys(call for part in self.parts for call in ways(part.code, part.renderer.package)))

    @property
    def shown(self) -> list[tuple[str, str, str]]:
        illustrated = [part.entry for part in self.parts if part.entry.name in self.pictures]
        return [(self.pictures[e.name], e.name, ", ".join(held(e))) for e in illustrated]


def sections(renderer: Renderer, family: Family, pictures: dict[str, str]) -> list[OpSection]:
    codes = {code.entry.name: code for code in renderer.ops}
    groups: dict[str, list[OpPart]] = {}
    for entry in family.entries:
        groups.setdefault(entry.schema.name, []).append(OpPart(renderer, codes[entry.name]))
    matches = [OpSection(tuple(parts), pictures) for parts in groups.values()]
    return sorted(matches, key=lambda section: not section.is_public)


@cache
def functional_names() -> frozenset[str]:
    """The words of the file that says what `nn.functional` offers."""
    source = (SPEC.parent / "nn" / "functional" / "__init__.py").read_text(encoding="utf-8")
    return frozenset(re.findall(r"\w+", source))


def is_offered(entry: Entry) -> bool:
    """Whether users can call it: in `nn.functional` are also parts of functions, which formulas alone call."""
    if entry.namespace == "nn.functional":
        return any(name in functional_names() for name in entry.names)
    return entry.variants != ("formula",)


def ways(code: OpCode, package: str) -> Iterator[str]:
    entry, name = code.entry, code.entry.schema.name
    if not package and not is_offered(entry):
        yield f"{name}({parameter_list(code.arguments)}), only in formulas"
        return
    prefix = f"sg.{entry.namespace}." if entry.namespace else "sg."
    if package:
        yield f"{package}.{name}({parameter_list(code.arguments)})"
        prefix = prefix if entry.namespace else f"{package}."
    if "function" in entry.variants and prefix != f"{package}.":
        yield f"{prefix}{name.removeprefix(f'{entry.namespace}_')}({parameter_list(code.arguments)})"
    if "method" in entry.variants:
        yield f"Tensor.{name}"
    if "inplace" in entry.variants:
        yield f"Tensor.{name}_"
    if entry.operator:
        yield f"operator {entry.operator}"
    yield from (f"{prefix}{alias}" for alias in entry.aliases)


def held(entry: Entry) -> Iterator[str]:
    return (f"{name}={ast.unparse(value)}" for name, value in plain_values(entry).items())


def pages(renderer: Renderer, path: Path) -> Files:
    result = chapters(renderer)
    files = {f"ops/{family.slug}.md": page(renderer, family, ops) for family, ops in result}
    stats = spec_stats(path, renderer.spec.written)
    files["ops.md"] = renderer.render("ops_index.md.j2", families=result, spec_stats=stats)
    return {name: tidy(text) for name, text in files.items()}


def page(renderer: Renderer, family: Family, ops: list[OpSection]) -> str:
    entries = family.entries
    others = [(part_of(entry, renderer.callers), is_offered(entry), entry.where.line) for entry in entries]
    pictures = [entry.name in op.pictures for op in ops[:1] for entry in entries]
    text = f"page {family.title} {family.introduction} {others} {pictures}"
    key = renderer.digest_of(text, entries)
    return MEMO.of(key, partial(renderer.render, "family.md.j2", family=family, ops=ops))


def reference(renderer: Renderer) -> Files:
    ops = [section for _, result in chapters(renderer) for section in result]
    return {"REFERENCE.md": tidy(renderer.render("reference.md.j2", ops=ops))}


def chapters(renderer: Renderer) -> list[tuple[Family, list[OpSection]]]:
    pictures = picture_files(renderer.spec.by_name())
    return [(each, sections(renderer, each, pictures)) for each in families(renderer.spec.written)]


def tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
