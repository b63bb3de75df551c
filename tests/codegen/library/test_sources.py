"""Scalar functions are found in the file that offers them and in those it takes them from; names have one meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

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
def runtime(tmp_path: Path) -> Path:
    """Files of scalar functions of another runtime."""
    folder = tmp_path / "kernels" / "scalar"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def test_functions_of_files_beside_are_offered(runtime: Path) -> None:
    """Under the name that they are taken under, with their arity; constants are no functions."""
    assert read_known(runtime).scalars == {"twice": (1, 1), "power3": (1, 2)}
    assert read_known(runtime / "kernels").scalars is None


@pytest.mark.parametrize("kind", ["kernel", "plan", "check", "helper", "view", "batching rule"])
def test_a_name_that_the_spec_may_use_has_one_meaning(kind: str) -> None:
    """No two modules of a kind define a public function of the same name: a key of the spec names no module."""
    found: dict[str, Path] = {}
    for path in runtime_library().files(kind):
        for name in (name for name in functions(path) if not name.startswith("_")):
            assert found.setdefault(name, path) == path, name
