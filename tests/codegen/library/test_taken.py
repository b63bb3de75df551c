"""The names that generated code uses itself: found in it, and refused to ops and arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.library.taken import Taken, read_taken
from specgrad.codegen.project import TREE
from specgrad.codegen.spec.model import Spec


@pytest.fixture(scope="module")
def taken(spec: Spec) -> Taken:
    return read_taken(TREE / "generated", spec)


def test_what_is_used_is_taken(taken: Taken) -> None:
    """Imports, constants, builtins and modules; locals of functions and kernels; attributes of tensors."""
    assert {"checks", "functions", "kernels", "ops", "registry", "NUMBERS", "isinstance", "globals"} <= taken.functions
    assert {"name", "into", "node", "grads", "i", "T", "watch", "tuple"} <= taken.locals
    assert {"data", "grad", "backward", "shape", "requires_grad_", "_storage"} <= taken.attributes


def test_no_name_of_the_spec_in_the_tree_is_taken(taken: Taken, spec: Spec) -> None:
    """What ops and arguments there are called is theirs."""
    for entry in spec.entries:
        assert not {entry.schema.name, *entry.aliases} & taken.functions
        assert not {argument.name for argument in entry.schema.arguments} & taken.locals
        assert "method" not in entry.variants or not {entry.schema.name, *entry.aliases} & taken.attributes


def test_broken_files_take_nothing(spec: Spec, tmp_path: Path) -> None:
    """The generator runs when what it writes is missing or broken."""
    assert read_taken(tmp_path, spec) == Taken()
    for name in ("ops", "functions", "tensor"):
        (tmp_path / f"{name}.py").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    assert read_taken(tmp_path, spec) == Taken()
