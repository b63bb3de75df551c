"""The names that the runtime's files offer to a spec."""

from __future__ import annotations

import ast
import math
from pathlib import Path

from specgrad.codegen.library.modules import Parameters, parameters_of
from specgrad.codegen.library.op_library import RUNTIME_RULE_FILES, Known, Library, OpLibrary, read_known


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_reads_names_and_arities_without_importing(tmp_path: Path):
    write(tmp_path / "ops" / "reduction" / "formulas.py", "import nothing\ndef a(x, y=1, *, z): ...\ndef _b(): ...\n")
    write(tmp_path / "ops" / "loss" / "formulas_ctc.py", "def c(*xs): ...\n")
    write(tmp_path / "kernels" / "scalar" / "__init__.py", "def exp(x): ...\n")
    write(tmp_path / "ops" / "matmul" / "cpu.py", "mv = mm = 1\ndef bmm(): ...\n")
    write(tmp_path / "ops" / "reduction" / "checks.py", "def one_dim(name, x, dim=0):\n    return x, dim + 1\n")
    write(tmp_path / "tensor" / "view_shapes.py", "def transpose(): ...\n")
    known = read_known(tmp_path)
    assert known == Known(
        helpers={"a": (2, 3), "c": (0, math.inf)},
        scalars={"exp": (1, 1)},
        complex_scalars=None,
        named={
            "kernel": frozenset({"mv", "mm", "bmm"}),
            "check": frozenset({"one_dim"}),
            "view": frozenset({"transpose"}),
        },
        parameters={
            "kernel": {"bmm": Parameters((), 0, 0)},
            "check": {"one_dim": Parameters(("name", "x", "dim"), 2, 3)},
            "view": {"transpose": Parameters((), 0, 0)},
        },
    )
    assert known.parameters["check"]["one_dim"].read == {"dim"}
    helpers = Library((OpLibrary(tmp_path, "runtime", True, RUNTIME_RULE_FILES),)).parts["helper"]
    assert {name: part.spelling for name, part in helpers.items()} == {
        "a": "reduction_formulas.a",
        "c": "loss_formulas_ctc.c",
    }


def test_what_is_not_there_is_not_checked(tmp_path: Path):
    assert read_known(tmp_path) == Known()


def test_reads_parameters():
    """Other names of a function have its parameters; what needs a keyword or is no function is left out."""
    text = "def f(call: Call, y=1, *z) -> Any: ...\ng = f\nh = g\nn = 1\ndef k(x, *, y): ...\n"
    found = parameters_of(ast.parse(text).body)
    assert found.keys() == {"f", "g", "h"}
    assert found["f"] == found["g"] == found["h"] == Parameters(("call", "y"), 1, math.inf, "z", "Call", "Any")
    assert [found["f"].takes(count) for count in (0, 1, 9)] == [False, True, True]
