"""Checks and shape rules that an entry has because functions of its package bear its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.library.op_library import OpLibrary, with_parts_by_name
from specgrad.codegen.spec.model import Entry, Spec

Load = Callable[[str], tuple[Spec, list[str]]]

FILES = {
    "checks.py": "def spin(name, self): ...\ndef spin_dim(name, self, dim): ...\n",
    "shapes.py": "def spin_dim(self, dim): ...\n",
}


@pytest.fixture
def entry(load: Load, tmp_path: Path) -> Callable[[str], Entry]:
    """Loads one entry of a package with these files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def load_entry(text: str) -> Entry:
        spec, problems = load(text)
        assert problems == []
        return with_parts_by_name(spec, OpLibrary(tmp_path, "", relative=True, label="own")).entries[0]

    return load_entry


def test_functions_of_the_name_are_found(entry: Callable[[str], Entry]) -> None:
    """That of the overload before that of the function; the place is the entry's."""
    found = entry("- name: spin.dim(Tensor self, int dim) -> Tensor\n")
    assert (found.compute.text, found.check, found.shape) == ("spin_dim", "spin_dim", "spin_dim")
    assert str(found.key_locations["check"]) == "spec.yaml:1:9"
    other = entry("- name: spin.by(Tensor self) -> Tensor\n")
    assert (other.compute.text, other.check, other.shape) == ("spin_by", "spin", None)


def test_what_an_entry_says_stands(entry: Callable[[str], Entry]) -> None:
    """Another function, or `none`; and only kernels have shape rules."""
    assert entry("- name: spin(Tensor self) -> Tensor\n  check: other\n").check == "other"
    assert entry("- name: spin(Tensor self) -> Tensor\n  check: none\n").check is None
    assert entry("- name: spin.dim(Tensor self) -> Tensor\n  elementwise: self\n").shape is None


def test_a_spec_in_no_package_has_none(load: Load) -> None:
    """Without hand-written parts nothing is found."""
    spec, _ = load("- name: spin(Tensor self) -> Tensor\n")
    assert with_parts_by_name(spec, None) is spec
