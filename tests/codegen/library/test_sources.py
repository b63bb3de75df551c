"""Scalar functions are found in the file that offers them and in those it takes them from, with all that they use."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.library import digests
from specgrad.codegen.library.digests import function_source
from specgrad.codegen.library.modules import functions
from specgrad.codegen.library.op_library import read_known, runtime_library

FILES = {
    "__init__": "from .more import cube as power3\nfrom .more import LIMIT\n\ndef twice(x): return x + x\n",
    "complex": "from . import twice as real_twice\n\ndef twice(z): return z * 2\n\n"
    "def both(z): return real_twice(z.real) + real_twice(z.imag)\n",
    "more": "from .primitives import fma\n\nLIMIT = (1.5, 2.5)\nOTHER = 7\n\n"
    "def square(x): return fma(x, x, LIMIT[0])\n\ndef cube(x, y=1): return square(x) * x\n\n"
    "def unused(x): return OTHER\n",
    "primitives": "def fma(x, y, z): return x * y + z\n",
    "primitive_code": "class Target: pass\n\ndef fma(target): return Target()\n",
}


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of scalar functions of another runtime."""
    folder = tmp_path / "kernels" / "scalar"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(digests, "RUNTIME", tmp_path)
    function_source.cache_clear()
    return tmp_path


def test_functions_of_files_beside_are_offered(runtime: Path) -> None:
    """Under the name that they are taken under, with their arity; constants are no functions."""
    assert read_known(runtime).scalars == {"twice": (1, 1), "power3": (1, 2)}
    assert read_known(runtime / "kernels").scalars is None


def test_the_source_of_a_function_holds_all_that_it_uses(runtime: Path) -> None:
    """Functions and constants of every file, what a compiler is given for a primitive, and nothing else."""
    text = function_source("power3")
    for part in ("def cube", "def square", "LIMIT = (1.5, 2.5)", "x * y + z", "class Target", "def fma(target)"):
        assert part in text
    assert "unused" not in text and "OTHER" not in text and "twice" not in text


def test_both_kinds_of_number_count(runtime: Path) -> None:
    """The kernels of real and of complex numbers are in one file."""
    assert "return x + x" in function_source("twice") and "return z * 2" in function_source("twice")


def test_functions_of_complex_numbers_hold_those_of_real_ones(runtime: Path) -> None:
    """They take them from the package that they are in."""
    assert "return x + x" in function_source("both")


def test_the_functions_of_the_project() -> None:
    """A table of coefficients belongs to a function's source, so that kernel files change with it."""
    function_source.cache_clear()
    text = function_source("exp")
    assert "EXP_OF_EIGHTH = (" in text and "def reduced" in text and "builder.fma" in text
    assert "LOG_DOUBLE" not in function_source("sqrt")


@pytest.mark.parametrize("kind", ["kernel", "plan", "check", "helper", "view", "batching rule"])
def test_a_name_that_the_spec_may_use_has_one_meaning(kind: str) -> None:
    """No two modules of a kind define a public function of the same name: a key of the spec names no module."""
    found: dict[str, Path] = {}
    for path in runtime_library().files(kind):
        for name in (name for name in functions(path) if not name.startswith("_")):
            assert found.setdefault(name, path) == path, name
