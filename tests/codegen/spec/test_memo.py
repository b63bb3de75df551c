"""A run that recalls what earlier ones made writes what a run without memory writes, at today's lines."""

import ast
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.emit.render import Renderer, Target
from specgrad.codegen.library.op_library import Library, runtime_library
from specgrad.codegen.pages.pages import pages
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec import load
from specgrad.codegen.spec.memo import MEMO
from specgrad.codegen.spec.model import Spec
from tests.repository import ROOT

EDITS = (  # lines by what they begin with, and what takes their place
    ("- section: exponential", "# A comment: all that follows stands lower.\n- section: exponential"),
    ("- name: expm1(", "- name: expm1(Tensor self, *, float by=1.0) -> Tensor"),  # which others call
    ("  elementwise: weighted_by(self, sigmoid(self))", "  elementwise: weighted_by(self, sigmoid(2 * self))"),
)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "derivatives.yaml"
    text = (ROOT / "derivatives.yaml").read_text(encoding="utf-8")
    path.write_text(text[text.index("- section: arithmetic") : text.index("- section: special")], encoding="utf-8")
    return path


def read(path: Path) -> Spec:
    load._read_before.cache_clear()
    result, problems = load_spec(path, path.name)
    assert not problems
    return result


def edit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for begin, new in EDITS:
        old = next(line for line in text.splitlines() if line.startswith(begin))
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def plain(value: Any) -> Any:
    """All of an entry, with the lines of its syntax trees."""
    if isinstance(value, ast.AST):
        return ast.dump(value, include_attributes=True)
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name != "origin"}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def written(path: Path) -> tuple[list[str], dict[str, str]]:
    spec = read(path)
    problems = validate(spec, Library((runtime_library(True),)).known())
    renderer = Renderer(spec, Target())
    return list(map(str, problems)), renderer.rendered() | pages(renderer, path)


def test_what_is_recalled_is_what_would_be_written(spec: Path) -> None:
    with MEMO.opened(spec.name):
        written(spec)
    edit(spec)
    with MEMO.opened(spec.name):
        recalled, read_from_memory = written(spec), [plain(entry) for entry in read(spec).entries]
    assert recalled == written(spec)
    assert read_from_memory == [plain(entry) for entry in read(spec).entries]


def test_memory_is_for_commands(spec: Path) -> None:
    """Who calls a part of the generator has all computed."""
    assert MEMO.path is None
    with MEMO.opened(spec.name):
        assert MEMO.of("key", lambda: 1) == MEMO.of("key", lambda: 2) == 1
    assert MEMO.of("key", lambda: 3) == 3
    with MEMO.opened(spec.name):
        assert MEMO.of("key", lambda: 4) == 1


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[: len(content) // 2], lambda content: b"no pickle", lambda content: b"cno\nmodule\n."],
)
def test_a_damaged_memory_is_none(spec: Path, damage: Any) -> None:
    with MEMO.opened(spec.name):
        MEMO.of("key", lambda: 1)
        path = MEMO.path
    assert path is not None
    path.write_bytes(damage(path.read_bytes()))
    with MEMO.opened(spec.name):
        assert MEMO.of("key", lambda: 2) == 2
