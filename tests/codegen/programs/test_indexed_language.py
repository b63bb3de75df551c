"""Indexed programs in a spec: what is no program is refused, with its place and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.library.op_library import read_known
from specgrad.codegen.proof.derive import load_spec

HEAD = """- name: shown(Tensor self, Tensor other, int k=1, float eps=1e-6) -> Tensor
  dtypes: [float]
  indexed: |
"""
REST = """
  self: not_implemented("a test")
  other: not_implemented("a test")
  samples: ["self=T(3, 4), other=T(4)"]
"""
USED = "result[i, j] = self[i, j] * other[j] * k * eps"
MISTAKES = {  # lines of a program -> place and words of the first problem
    # names
    "result[i, j] = self[i, j] * others[j] * k": ("4:5", "unknown name 'others' (did you mean 'other'?)"),
    "result[i, j] = self[i, j] * other[j] * kk": ("4:5", "unknown name 'kk' (did you mean 'k'?)"),
    "result[i, j] = self[i, j] * other[j] + resultt": ("4:5", "unknown name 'resultt' (did you mean 'result'?)"),
    "result[i, j] = tanhh(self[i, j]) * other[j] * k * eps": (
        "4:20",
        "unknown function 'tanhh' (did you mean 'tanh'?)",
    ),
    "sum[i] = self[i, 0]\nresult[i] = sum[i] * other[0] * k * eps": ("4:5", "'sum' is a word of indexed programs"),
    "int = self[0, 0]\nresult[i] = int * other[i] * k * eps": ("4:5", "'int' is a word of indexed programs"),
    "padded[i] = self[i, 0]\n" + USED: ("4:5", "'padded' is a word of indexed programs"),
    "range[i] = self[i, 0]\n" + USED: ("4:5", "'range' is a word of indexed programs"),
    "t_[i] = self[i, 0]\n" + USED: ("4:5", "begins or ends with an underscore"),
    "_t[i] = self[i, 0]\n" + USED: ("4:5", "underscore"),
    "result[i] = self[i, _j] * other[0] * k * eps": ("4:25", "'_j': names with a leading underscore are not allowed"),
    "self[i, j] = other[j]\n" + USED: ("4:5", "'self' is an argument: choose another name"),
    "k = 3\n" + USED: ("4:5", "'k' is an argument: choose another name"),
    # sizes and ranges
    "result[i] = self[i + 1, 0] * other[0] * k * eps": ("4:5", "the range of the index 'i' is unknown"),
    "result[i] = sum[l](self[i, l + 1]) * other[0] * k * eps": ("4:5", "the range of the index 'l' is unknown"),
    "result[i + j] += self[i, j] * other[j] * k * eps": ("4:5", "the sizes of result are unknown"),
    "result: 3\n" + USED: ("4:13", "expected result: (n, d), the sizes of an array, or result: range(n)"),
    "i: range(1, 2, 3)\n" + USED: ("4:8", "expected i: (n, d), the sizes of an array, or i: range(n)"),
    "result[i] = self[i] * other[0] * k * eps + self[i, 0]": ("4:48", "'self' has 2 and 1 indices"),
    "self: (n, m)\nresult[i] = self[i] * other[0] * k * eps": ("5:5", "'self' has 2 dimensions, not 1"),
    "t[i] = self[i, 0]\nresult[i] = t[i, i] * other[0] * k * eps": ("5:5", "'t' has 1 dimensions, not 2"),
    "self: (zz + 1, m)\n" + USED: ("5:5", "unknown name 'zz' in the sizes of result"),
    "i: range(zz)\n" + USED: ("5:5", "unknown name 'zz' in the sizes of result"),
    # folds
    "result[i] = sum(self[i, 0]) * other[0] * k * eps": ("4:17", "sum() needs the indices that it folds: sum[k](...)"),
    "result[i] = total[j](self[i, j]) * other[0] * k * eps": ("4:5", "unknown name 'total'"),
    "result[i] = sum[0](self[i, 0]) * other[0] * k * eps": ("4:", "sum"),
    "result[i] = sum[j](self[i, j], 2) * other[0] * k * eps": ("4:", "sum"),
    "result[i] = sum[j, j](self[i, j]) * other[0] * k * eps": ("4:5", "sum[j, j]: an index stands there twice"),
    "result[i] = sum[self](self[i, 0]) * other[0] * k * eps": ("4:", "'self'"),
    "result[i] = sum[k](self[i, 0]) * other[0] * k * eps": (
        "4:5",
        "sum[k]: expected an index, and 'k' is another name",
    ),
    "result[i] = self[i, j] * other[0] * k * eps": ("4:5", "the index 'j' is neither one of result nor of a fold"),
    "result[i] = padded(2, 0) * self[i, 0] * other[0] * k * eps": ("4:17", "padded() takes an element"),
    "result[i] = padded(self[i, 0]) * other[0] * k * eps": ("4:17", "padded() takes an element"),
    "result[i] = self[int(i, 2), 0] * other[i] * k * eps": ("4:22", "int() takes 1 argument, got 2"),
    "result[i] = exp(self[i, 0], 2) * other[i] * k * eps": ("4:17", "exp() takes 1 argument"),
    # assignments
    USED + "\n" + USED: ("5:5", "'result' has a value already"),
    "t = self[0, 0]\nt = other[0]\nresult = t * k * eps": ("5:5", "'t' has a value already"),
    "t[i] = self[i, 0]\nt = other[0]\nresult[i] = t[i] * k * eps": ("5:5", "'t' has a value already"),
    "t = self[0, 0]\nt[i] += other[i]\nresult[i] = t[i] * k * eps": ("5:5", "'t' has a value already"),
    "result[i, i] = self[i, i] * other[i] * k * eps": ("4:5", "several indices may give one place of result[i, i]"),
    "result[2 * i] = self[i, 0] * other[i] * k * eps": ("4:5", "several indices may give one place of result[2 * i]"),
    "result[0] = self[0, 0] * other[0] * k * eps": ("4:5", "several indices may give one place of result[0]"),
    "result[k] = self[0, 0] * other[0] * k * eps": ("4:5", "several indices may give one place of result[k]"),
    "result[2 * i] = mean[i](self[i, 0]) * other[0] * k * eps": ("4:5", "expected += or = max[i](...)"),
    "result[i] -= self[i, 0] * other[i] * k * eps": ("4:5", "expected an assignment, name[i] = expression"),
    "self[i, 0] * other[i] * k * eps": ("4:5", "expected an assignment, name[i] = expression"),
    "result = a = self[0, 0] * other[0] * k * eps": ("4:5", "expected an assignment, name[i] = expression"),
    "for i in self:\n    result = i * k * eps": ("4:5", "expected an assignment"),
    # outputs and arguments
    "out[i, j] = self[i, j] * other[j] * k * eps": ("4:5", "expected an assignment to the output 'result'"),
    "t[i] = self[i, 0]\n" + USED: ("4:5", "'t' is neither read nor an output (result)"),
    "result[i, j] = self[i, j] * k * eps": ("3:12", "the program does not read 'other'"),
    "result[i, j] = self[i, j] * other[j] * eps": ("3:12", "the program does not read 'k'"),
    # recurrences
    "result[i] = result[i] + self[i, 0] * other[i] * k * eps": ("4:5", "is not known yet where result needs it"),
    "result[i] = padded(result[i - 1], 0) + padded(result[i + 1], 0) + self[i, 0] * other[i] * k * eps": (
        "4:5",
        "a recurrence reads on both sides of i: result[i + 1]",
    ),
    "result[i] = padded(result[i - k], 0) + self[i, 0] * other[i] * eps": (
        "4:5",
        "result[i - k]: expected i less or more a positive number",
    ),
    "result[i] = padded(result[2 * i], 0) + self[i, 0] * other[i] * k * eps": ("4:5", "expected i less or more"),
    "i: range(3)\na[i] = b[i]\nb[i] = a[i] + self[i, 0]\nresult[i] = b[i] * other[i] * k * eps": (
        "5:5",
        "b[i] is not known yet",
    ),
    "i: range(3)\na[i] = padded(b[i - 1], 0)\nb[j] = a[j] + self[j, 0]\nresult[i] = b[i] * other[i] * k * eps": (
        "5:5",
        "a recurrence of a, b: expected one first index, and no scatter",
    ),
    "t: (k,)\nt[i] += padded(t[i - 1], 0) + self[i, 0]\nresult[i] = t[i] * other[i] * eps": ("5:5", "no scatter"),
    # syntax
    "result[i] = self[i, 0:2] * other[i] * k * eps": ("4:25", "not allowed"),
    "result[i] = (self[i, 0] for j in other) * k * eps": ("4:", "not allowed"),
    "result[i] = self[i, 0].exp() * other[i] * k * eps": ("4:17", "there are no methods here: write exp(self[i, 0])"),
    "result[i] = self[i, 0] * other[i] * k * eps +": ("4:50", "syntax error"),
    "result[i] = " + "-" * 50 + "self[i, 0] * other[i] * k * eps": ("4:17", "expected an expression of fewer levels"),
    "\n".join(f"t{n}[i] = self[i, 0]" for n in range(51)): ("54:5", "expected at most 50 statements"),
}


def problems_of(text: str, folder: Path) -> list[str]:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    spec, problems = load_spec(path, "spec.yaml")
    return [str(p) for p in problems or validate(spec, read_known())]


def entry(program: str) -> str:
    return HEAD + "\n".join(f"    {line}" for line in program.splitlines()) + REST


@pytest.mark.parametrize("program", MISTAKES)
def test_mistakes_are_told_with_their_place(program: str, tmp_path: Path) -> None:
    """Each is found, at its line and column of the spec."""
    place, text = MISTAKES[program]
    found = problems_of(entry(program), tmp_path)
    assert any(line.startswith(f"spec.yaml:{place}") and text in line for line in found), found


ACCEPTED = [
    USED,
    "t = self[i, j] * 2\nresult[i, j] = t * other[j] * k * eps",
    "result[i] = self[i, 0] / sum[i](self[i, 0]) * other[i] * k * eps",
    "result += self[i, j] * other[j] * k * eps",
    "result = max[i, j](self[i, j] * other[j] * k * eps)",
    "self: (n, m)\nresult: (n + m - 1,)\nresult[i + j] += self[i, j] * other[j] * k * eps",
    "i: range(k)\nresult[i] = self[i, 0] * other[i] * eps",
    "result[i] = padded(result[i - 2], 0) + padded(result[i - 1], 0) * self[i, 0] * other[i] * k * eps",
    "result[i, j] = padded(result[i - 1, j + 1], 0) + self[i, j] * other[j] * k * eps",
    "i: range(3)\na[i] = padded(b[i - 1], 0)\nb[i] = a[i] + self[i, 0]\nresult[i] = b[i] * other[i] * k * eps",
    "result[i] = (self[i, 0] if i > k and not other[i] < eps else pi) + (inf if isnan(other[i]) else nan)",
]


@pytest.mark.parametrize("program", ACCEPTED)
def test_a_program_is_accepted(program: str, tmp_path: Path) -> None:
    """What the language has is no fault."""
    found = problems_of(entry(program), tmp_path)
    assert not [line for line in found if "indexed" in line], found


def test_arguments_are_tensors_and_numbers(tmp_path: Path) -> None:
    """Others are refused where the program stands."""
    for type_ in ("Tensor[]", "Tensor?", "str", "int[]"):
        text = entry(USED).replace("Tensor other", f"{type_} other")
        found = problems_of(text, tmp_path)
        assert any("the argument 'other': expected a tensor or a number" in line for line in found), found


def test_a_tensor_says_the_dtype(tmp_path: Path) -> None:
    """Tensors that are read as they are say none."""
    text = (
        "- name: chosen(Tensor self) -> Tensor\n  dtypes: [float]\n  dtype: match\n  result_dtype: int64\n"
        '  self: non_differentiable\n  indexed: "result[i] = argmax[k](self[i, k])"\n  samples: ["self=T(2, 3)"]\n'
    )
    found = problems_of(text, tmp_path)
    assert any("expected a tensor that is not `non_differentiable`" in line for line in found), found


def test_an_entry_is_for_floats(tmp_path: Path) -> None:
    """Other dtypes are refused where the entry names them."""
    found = problems_of(entry(USED).replace("[float]", "[int, float]"), tmp_path)
    assert any(line.startswith("spec.yaml:2:11") and "indexed programs are for floats" in line for line in found), found
