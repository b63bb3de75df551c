"""Fixtures that write a spec to a file and give what the front end finds wrong with it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.check.validate import validate
from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.library.op_library import Known
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Entry, Spec

KNOWN = Known(
    helpers={"spread": (2, 3), "cat_backward": (3, 3)},
    scalars={"exp": (1, 1), "where": (3, 3), "floor": (1, 1)},
    complex_scalars={"exp": (1, 1), "where": (3, 3)},
    named={
        "kernel": frozenset({"mm", "max_dim", "sum_dim", "cat"}),
        "check": frozenset({"one_dim"}),
        "view": frozenset({"transpose"}),
        "batch": frozenset({"along", "reduction"}),
        "meta": frozenset({"same", "reduced"}),
    },
)

# Correct entries for tests to spoil.
ENTRIES = {
    "MUL": """\
- name: mul.Tensor(Tensor self, Tensor other) -> Tensor
  elementwise: self * other
  self: grad * other.conj()
  other: grad * self.conj()
  result: auto_multilinear
""",
    "EXP": """\
- name: exp(Tensor self) -> Tensor
  elementwise: exp(self)
  self: grad * result.conj()
  result: auto_element_wise
""",
    "SUM": """\
- name: sum(Tensor self, int dim, bool keepdim=False) -> Tensor
  kernel: sum_dim
  check: one_dim
  self: spread(grad, self.shape)
  result: auto_linear
  samples: ["self=T(3, 4, lo=0), dim=1"]
  errors: ["self=T(3), dim=1"]
""",
    "MAX": """\
- name: max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)
  kernel: max_dim
  result_dtype: [same, int64]
  self: spread(grad, indices, dim)
  values: auto_select
  samples: ["self=V([1.0, inf]), dim=0"]
""",
    "FILL": """\
- name: addcopy_(Tensor(a!) self, Tensor source) -> Tensor(a!)
  variants: [method]
  elementwise: self * source
  self: grad * source
  source: grad * result
  result: self_t * source_p + self_p * source_t
""",
    "CONJ": """\
- name: conj(Tensor self) -> Tensor
  kernel: mm
  self: grad.conj()
  result: auto_linear
  samples: ["self=T(3)"]
""",
    "SQUARE": """\
- name: square(Tensor self) -> Tensor
  composite: mul(self, self)
  samples: ["self=T(3)"]
""",
}


@pytest.fixture(scope="session")
def spec() -> Spec:
    """The spec of the tree."""
    return load_spec(SPEC, SPEC.name)[0]


@pytest.fixture(scope="module")
def build() -> Iterator[Callable[..., Any]]:
    """Generates the package of a spec beside it, with options, and imports it until the module's tests are done."""
    built: list[str] = []
    with pytest.MonkeyPatch.context() as patch:

        def build_package(spec: Path, name: str, *options: str) -> Any:
            assert main([str(spec), "--out", str(spec.parent / name), *options]) == 0
            patch.syspath_prepend(spec.parent)
            built.append(name)
            return importlib.import_module(name)

        yield build_package
    for name in [name for name in sys.modules if name.partition(".")[0] in built]:
        del sys.modules[name]


@pytest.fixture
def entries() -> dict[str, str]:
    """Correct entries by name."""
    return ENTRIES


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Spec, list[str]]]:
    """Loads the text of a spec; the file is called `spec.yaml` in problems."""
    monkeypatch.chdir(tmp_path)

    def load_text(text: str) -> tuple[Spec, list[str]]:
        Path("spec.yaml").write_text(dedent(text), encoding="utf-8")
        spec, problems = load_spec("spec.yaml")
        return spec, [str(problem) for problem in problems]

    return load_text


@pytest.fixture
def entry(load: Callable[[str], tuple[Spec, list[str]]]) -> Callable[[str], Entry]:
    """Loads a spec of one entry that has nothing wrong in form."""

    def load_entry(text: str) -> Entry:
        spec, problems = load(text)
        assert problems == []
        (only,) = spec.entries
        return only

    return load_entry


@pytest.fixture
def check(load: Callable[[str], tuple[Spec, list[str]]]) -> Callable[..., list[str]]:
    """Validates the text of a spec that has nothing wrong in form."""

    def format_check(text: str, base: Spec | None = None) -> list[str]:
        spec, problems = load(text)
        assert problems == []
        return [str(problem) for problem in validate(spec, KNOWN, base)]

    return format_check


@pytest.fixture
def spoil(check: Callable[..., list[str]]) -> Callable[[str, str, str], list[str]]:
    """The problems of an entry in which something is replaced; it follows `conj`, so it begins in line 6."""

    def check_spoilt(name: str, right: str, wrong: str) -> list[str]:
        spoilt = ENTRIES[name].replace(right, wrong)
        assert spoilt != ENTRIES[name]
        return check(ENTRIES["CONJ"] + spoilt + ENTRIES["MUL"] * (name == "SQUARE"))

    return check_spoilt
