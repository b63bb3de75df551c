"""Lines of the spec: none in generated text, and the right ones in messages, looked up when these are shown."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree

import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main, uncollected
from specgrad.codegen.emit.files import Files
from specgrad.codegen.emit.render import Renderer, Target
from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.pages.pages import pages
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.verify.calls.findings import location_of
from specgrad.codegen.verify.processes import import_folder
from specgrad.generated.registry import OPS
from specgrad.runtime.dispatch.registry import Op
from tests.codegen.mistakes import entry_source
from tests.repository import ROOT

LAYOUTS = [
    "- name: f(Tensor self)",
    '- name: "f(Tensor self)"',
    "-   'name':  'f.one(Tensor self)'",
    "- {name: f(Tensor self)",
    "- doc: name\n  name: f(Tensor self)",
]


def everything(path: Path) -> Files:
    """All generated text, code as the templates give it, and all pages."""
    renderer = Renderer(load_spec(path, SPEC.name)[0], Target())
    return renderer.rendered() | pages(renderer, path)


def test_a_comment_changes_nothing_that_is_generated(tmp_path: Path) -> None:
    """Lines above, between and below the entries of the tree's spec: the same bytes in every file."""
    moved = tmp_path / SPEC.name
    text = SPEC.read_text(encoding="utf-8")
    text = "# one line\n" + text.replace("\n- name: tanh(", "\n\n\n# why\n- name: tanh(") + "# end\n"
    moved.write_text(text, encoding="utf-8")
    copytree(ROOT / "tests" / "spec", tmp_path / "tests" / "spec")
    with uncollected():
        before, after = everything(SPEC), everything(moved)
    assert before == after
    assert [name for name, text in before.items() if re.search(r"\.yaml(:|#L)\d", text)] == []


def test_the_look_up_agrees_with_the_reader() -> None:
    """For every op the line that messages show at run time is that of the generator's own reader."""
    entries = load_spec(SPEC, SPEC.name)[0].by_name()
    assert [op.where for op in OPS] == [f"{SPEC.name}:{entries[op.name].where.line}" for op in OPS]


def test_verify_knows_every_formula() -> None:
    """Line and column of gradients, tangents and batching rules, also where one key stands for several of them."""
    entries = load_spec(SPEC, SPEC.name)[0].by_name()
    lines = SPEC.read_text(encoding="utf-8").splitlines()
    for op in OPS:
        for key in op.formulas:
            _, line, column = location_of(op, key).split(":")
            before = lines[int(line) - 1][: int(column) - 1].rstrip() or lines[int(line) - 2]
            formulas = entries[op.name].gradients | entries[op.name].forward
            derived = key in formulas and formulas[key].where == entries[op.name].compute.where
            names = "elementwise" if derived else f"{key}|gradients|tangents"
            assert re.search(rf"\b({names}): *[\"'|>-]*(\(.*)?$", before), (op.name, key, before)
        assert location_of(op) == f"{SPEC.name}:{entries[op.name].where.line}"


def made(folder: Path, content: str, name: str) -> Path:
    """A spec, and the package `name` that is generated from it in a folder beside."""
    spec = folder / "ops.yaml"
    spec.write_text(content, encoding="utf-8")
    assert main([str(spec), "--out", str(folder / name), "--no-verify"]) == 0
    return spec


@pytest.fixture
def op(tmp_path: Path) -> Op:
    """The op of a package generated from `ops.yaml` in tmp_path."""
    name = f"made_{abs(hash(tmp_path)):x}"
    made(tmp_path, entry_source("my_square", "square"), name)
    package = import_folder(tmp_path / name)
    return __import__(f"{package}.registry", fromlist=["OPS"]).OPS[0]


def test_a_message_shows_the_line_that_the_spec_has_now(op: Op, tmp_path: Path) -> None:
    """A line above the entry moves it without generating anew."""
    spec = tmp_path / "ops.yaml"
    node = op.function(sg.ones(2, requires_grad=True)).grad_fn
    assert (op.where, node.spec_location) == ("ops.yaml:1", "ops.yaml:1")
    spec.write_text("# above\n\n" + spec.read_text(encoding="utf-8"), encoding="utf-8")
    assert (op.where, node.spec_location) == ("ops.yaml:3", "ops.yaml:3")


@pytest.mark.parametrize("content", [None, b"", b"- name: other(Tensor self)\n", b"\xff\xfe\x00name: my_squar("])
def test_without_the_entry_a_message_names_op_and_spec(op: Op, content: bytes | None, tmp_path: Path) -> None:
    """The spec is gone, empty, holds another op or is no text: the error is the same, but for the line."""
    spec = tmp_path / "ops.yaml"
    spec.unlink()
    if content is not None:
        spec.write_bytes(content)
    x = sg.ones(2, requires_grad=True) * 1
    y = op.function(x)
    x.mul_(2)
    with pytest.raises(RuntimeError, match=r"'self' of my_square\(\) \(ops.yaml\), a tensor of shape"):
        y.sum().backward()
    assert (op.where, location_of(op, "self")) == ("ops.yaml", "ops.yaml")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_entries_are_found_however_their_names_are_written(layout: str, op: Op, tmp_path: Path) -> None:
    """Quotes, braces, spaces and other keys before the name."""
    text = layout.replace("f(", "my_square(").replace("f.one(", "my_square(")
    (tmp_path / "ops.yaml").write_text(f"# first\n{text} -> Tensor", encoding="utf-8")
    assert op.where == f"ops.yaml:{2 + text.count(chr(10))}"
