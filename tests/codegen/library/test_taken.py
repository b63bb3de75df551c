"""The names that generated code uses itself: found in it, and refused to ops and arguments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from specgrad.codegen.language.row_programs import OWN
from specgrad.codegen.library.op_library import Library, runtime_library
from specgrad.codegen.library.reserved_names import ReservedNames, read_reserved
from specgrad.codegen.project.project import TREE
from specgrad.codegen.spec.model import Spec


@pytest.fixture(scope="module")
def reserved(spec: Spec) -> ReservedNames:
    return read_reserved(TREE / "generated", spec)


def test_what_is_used_is_taken(reserved: ReservedNames) -> None:
    """Imports, constants, builtins and modules; locals of functions and kernels; attributes of tensors."""
    assert {
        "checks",
        "nodes",
        "kernels",
        "ops",
        "registry",
        "NUMBERS",
        "isinstance",
        "globals",
    } <= reserved.functions
    assert {"name", "into", "node", "grads", "i", "T", "watch", "tuple"} <= reserved.locals
    assert {"data", "grad", "backward", "shape", "requires_grad_", "_storage"} <= reserved.attributes


def test_no_name_of_the_spec_in_the_tree_is_taken(reserved: ReservedNames, spec: Spec) -> None:
    """What ops and arguments there are called is theirs."""
    for entry in spec.entries:
        assert not {entry.schema.name, *entry.aliases} & reserved.functions
        assert not {argument.name for argument in entry.schema.arguments} & reserved.locals
        assert "method" not in entry.variants or not {entry.schema.name, *entry.aliases} & reserved.attributes


def test_the_document_lists_them(reserved: ReservedNames) -> None:
    """docs/spec.md has the reserved words of one part, those of row programs, the scalar functions, and no others."""
    text = (TREE / "docs" / "spec.md").read_text(encoding="utf-8")
    listed = [set(words.split()) for words in re.findall(r"^`([^`|]{200,})`$", text, re.MULTILINE)]
    words = {name for name in reserved.locals if name.isalnum() and name[0].islower()}
    assert listed == [words, set(OWN), set(Library((runtime_library(),)).known().scalars or ())]


def test_broken_files_take_nothing(spec: Spec, tmp_path: Path) -> None:
    """The generator runs when what it writes is missing or broken."""
    assert read_reserved(tmp_path, spec) == ReservedNames()
    for name in ("ops/shape", "nodes/shape", "kernels/cpu/shape", "tensor"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.py").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    assert read_reserved(tmp_path, spec) == ReservedNames()
