"""Row programs in a spec: what is no program is refused with its place, and what one means is NumPy's."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.language.row_programs import OWN, NoProgram, program_of
from specgrad.codegen.library.op_library import read_known
from specgrad.codegen.programs.cpu_code import HELPERS
from specgrad.codegen.programs.numpy_reference import outputs_of
from specgrad.codegen.programs.passes import Lowered
from specgrad.codegen.proof.derive import load_spec

HEAD = """- name: shown(Tensor self, Tensor gain, int dim=-1, float eps=1e-6) -> Tensor
  dtypes: [float]
  rows: |
"""
REST = """
  self: not_implemented("a test")
  gain: not_implemented("a test")
  samples: ["self=T(3, 4), gain=T(4)"]
"""
MISTAKES = {  # lines of a program -> place and words of the first problem
    "    result = self * gain_ * eps * scale": ("4:35", "unknown name 'scale'"),
    "    result = self * gain_row + gain_ * eps": ("4:5", "'gain' is used as gain_ and gain_row"),
    "    result = self + eps": ("3:9", "does not read 'gain'"),
    "    n = sum(self)\n    result = self / n * gain_ + eps": ("4:5", "'n' is a word of row programs"),
    "    result = sum(eps) + self * gain_": ("4:14", "of what is the same for all elements"),
    "    result = sum(self, 1) + gain_ * eps": ("4:14", "sum() takes 1 argument, got 2"),
    "    result = tanhh(self) + gain_ * eps": ("4:14", "unknown function 'tanhh' (did you mean 'tanh'?)"),
    "    total = sum(self)\n    result = self * gain_ * eps": ("4:5", "'total' is neither read nor an output"),
    "    out = self * gain_ * eps": ("4:5", "expected an assignment to the output 'result'"),
    "    result = later * self\n    later = gain_ * eps": ("4:14", "'later' has no value yet"),
    "    result = self * gain_ * eps\n    result = self": ("5:5", "'result' has a value already"),
    "    for k in self:\n        result = k * gain_ * eps": ("4:5", "expected an assignment"),
    "    result = self.mean() * gain_ * eps": ("4:14", "there are no methods here: write mean(self)"),
    "    result = self * gain_ * eps +": ("4:34", "syntax error"),
    "    result = at(eps, 0) + self * gain_": ("4:14", "at() takes an array"),
}


def problems_of(text: str, folder: Path) -> list[str]:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    spec, problems = load_spec(path, "spec.yaml")
    return [str(p) for p in problems or validate(spec, read_known())]


@pytest.mark.parametrize("program", MISTAKES)
def test_mistakes_are_told_with_their_place(program: str, tmp_path: Path) -> None:
    """Each is found, at its line and column of the spec."""
    location, slot_values = MISTAKES[program]
    found = problems_of(HEAD + program + REST, tmp_path)
    assert any(line.startswith(f"spec.yaml:{location}:") and slot_values in line for line in found), found


def test_an_entry_is_for_floats(tmp_path: Path) -> None:
    """Other dtypes are refused where the entry names them."""
    text = (HEAD + "    result = self * gain_ * eps" + REST).replace("[float]", "[int, float]")
    assert any("row programs are for floats" in line for line in problems_of(text, tmp_path))


def test_a_program_is_accepted(tmp_path: Path) -> None:
    """All that the language has, in one program."""
    program = (
        "    top = max(abs(self))\n    chosen = i == argmax(self) or not self < 0\n"
        "    one = where(chosen, 1, 0)\n"
        "    result = (self / top if top > eps else self) * gain_ ** 2 + mean(self) - at(self, 0) * n * one"
    )
    found = problems_of(HEAD + program + REST, tmp_path)
    assert not [line for line in found if "rows" in line], found


def program(text: str):
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return program_of(tree, "rows.py")


def test_independent_folds_share_a_pass() -> None:
    """A fold waits for those alone that it needs."""
    lowered = Lowered(program("def f(x: Row, y: Row):\n    a = sum(x)\n    b = sum(y)\n    return sum(x * a) + b"))
    assert [len(each.folds) for each in lowered.passes] == [2, 1]


def test_what_takes_long_is_kept() -> None:
    """An exponential that two passes need is computed once; a product is computed again."""
    lowered = Lowered(
        program("def f(x: Row):\n    grown = exp(x)\n    twice = 2 * x\n    return grown * twice / sum(grown * twice)")
    )
    assert lowered.retained == ("grown",)


def test_a_function_is_refused_with_its_place() -> None:
    """A parameter without a kind, and a function that returns nothing."""
    with pytest.raises(NoProgram, match=r"rows.py:1:7: expected one of Row, Shared, Each"):
        program("def f(x):\n    return x")
    with pytest.raises(NoProgram, match="expected `return`"):
        program("def f(x: Row):\n    y = x")


def test_choices_and_logic_are_those_of_arrays() -> None:
    """A condition holds for each element, also where comparisons stand in a chain."""
    found = outputs_of(
        program("def f(x: Row):\n    return x if 0 < x < 2 and not x == 1 else -x"),
        {"x": np.array([[-1.0, 0.5, 1.0, 3.0]])},
        4,
        {"where": np.where, "logical_and": np.logical_and, "logical_not": np.logical_not},
    )
    assert found["result"].tolist() == [[1.0, 0.5, -1.0, -3.0]]


def test_helpers_of_loops_are_no_names() -> None:
    """A program cannot call anything as the functions that its loops call."""
    assert HELPERS.keys() <= OWN
