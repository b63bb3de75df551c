"""Scalar functions of a user's package: what they compute is read, their derivatives are checked and used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.language.scalar_functions import Functions
from specgrad.codegen.library.op_library import Library, OpLibrary, runtime_library
from specgrad.codegen.spec.model import Problem
from specgrad.codegen.verify.functions import check_functions, claims

Read = Callable[[str], tuple[OpLibrary, Functions, list[Problem]]]
HEAD = """\
import math
from math import pi
from specgrad.runtime.kernels.scalar import exp, log1p, maximum
from specgrad.runtime.kernels.declarations import derivatives
HALF = 0.5
"""


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Read]:
    """Reads the functions of a package, of which it writes the module."""
    package = tmp_path / "own_functions_package"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")

    def reading(text: str) -> tuple[OpLibrary, Functions, list[Problem]]:
        (package / "scalars.py").write_text(HEAD + text, encoding="utf-8")
        module_name = OpLibrary(package, "", relative=True, label="own")
        return module_name, *Library((runtime_library(), module_name)).functions

    yield reading
    for name in [name for name in sys.modules if name.startswith(package.name)]:
        del sys.modules[name]


MEANINGS = {
    "def f(x):\n    '''Half.'''\n    return x * type(x)(0.5)": "x * 0.5",
    "def f(x):\n    y = exp(x)\n    return y / (1 + y)": "exp(x) / (1 + exp(x))",
    "def f(x, a):\n    if x > a:\n        return x\n    return -HALF * x": "x if x > a else -0.5 * x",
    "def f(x):\n    if x > 0:\n        y = x\n    else:\n        y = -x\n    return y": "x if x > 0 else -x",
    "def _g(y, z):\n    return y - z\ndef f(x):\n    return _g(2, x) + math.sin(pi * x)": "2 - x + sin(PI * x)",
    "def g(x):\n    return x * x\ndef f(x):\n    return g(x + 1)": "g(x + 1)",
    "def f(x):\n    for _ in range(3):\n        x = x * x\n    return x": None,
    "def f(x):\n    return unheard_of(x)": None,
    "def f(x):\n    return x if x < 1 < 2 else 0": None,
    "def f(x):\n    x += 1\n    return x": None,
    "def f(x):\n    return f(x / 2)": None,
    "def f(x):\n    return g(x)\ndef g(x):\n    return h(x)\ndef h(x):\n    return g(x)": None,
    "from operator import neg as abs\ndef f(x):\n    return abs(x)": None,
}


@pytest.mark.parametrize("text", MEANINGS)
def test_what_a_function_computes(text: str, read: Read) -> None:
    """Assignments, choices and private functions are an expression; loops, strangers and circles are none."""
    module_name, functions, problems = read(text)
    assert problems == []
    expected = MEANINGS[text]
    if text.startswith("def f(x):\n    return g(x)"):  # calls what calls itself: a function, which nothing is known of
        assert functions["g"].meaning is functions["h"].meaning is None
        return
    assert functions["f"].meaning == expected
    if expected is not None:
        assert not check_functions(claims([module_name], functions), functions).findings


WRONG_TEXTS = {
    "@derivatives()": "6:2: f, derivatives: expected 1 derivative, by (x) in order, found 0",
    "@derivatives('1', '2')": "6:2: f, derivatives: expected 1 derivative, by (x) in order, found 2",
    "@derivatives(1)": "6:14: f, derivatives: expected an expression in quotes, or None",
    "@derivatives('2 *')": "6:14: f, derivatives: '2 *' is no expression: invalid syntax",
    "@derivatives('y')": "6:14: f, derivatives: 'y': unknown name 'y'",
    "@derivatives('exq(x)')": "6:14: f, derivatives: 'exq(x)': no derivative is known of 'exq' (did you mean 'exp'?)",
    "@derivatives('x.real')": "6:14: f, derivatives: 'x.real': an attribute is not allowed here",
    "@derivatives('1', y=(0, 1))": "6:21: f, derivatives: there is no parameter 'y' to give a domain of",
    "@derivatives('1', x=(1, 0))": "6:21: f, derivatives: expected the interval (lo, hi) of a parameter, with lo < hi",
}


@pytest.mark.parametrize("decorator", WRONG_TEXTS)
def test_what_cannot_be_said(decorator: str, read: Read) -> None:
    """With the place in the module."""
    module_name, functions, (problem,) = read(f"{decorator}\ndef f(x):\n    return x\n")
    assert functions == {}
    assert str(problem).startswith(f"{module_name.folder / 'scalars.py'}:{WRONG_TEXTS[decorator]}"), problem


ROOT = """\
@derivatives("1 / (1 + 3 * result * result)", "{0}", bend=(0.1, 4))
def bent_root(x, bend):
    y = x
    for _ in range(60):
        y -= (y + bend * y * y * y - x) / (1 + 3 * bend * y * y)
    return y
"""
RIGHT_ROOT = ROOT.replace("3 * result", "3 * bend * result").format("-result ** 3 / (1 + 3 * bend * result * result)")


def test_a_wrong_slope_is_found_at_its_place(read: Read) -> None:
    """With a point and both numbers; right ones are not, and one that cannot be compared is."""
    module_name, functions, problems = read(RIGHT_ROOT)
    assert problems == [] and not check_functions(claims([module_name], functions), functions).findings
    module_name, functions, _ = read(ROOT.format("None"))
    sys.modules.pop("own_functions_package.scalars", None)
    (finding,) = map(str, check_functions(claims([module_name], functions), functions).findings.values())
    assert finding.startswith(f"{module_name.folder / 'scalars.py'}:6:14: bent_root, derivative by x: at x=")
    assert "it is said to be 0." in finding and ", and is 0." in finding
    module_name, functions, _ = read("@derivatives('1')\ndef f(x):\n    return math.sqrt(-1 - x * x)\n")
    sys.modules.pop("own_functions_package.scalars", None)
    (finding,) = map(str, check_functions(claims([module_name], functions), functions).findings.values())
    assert "scalars.py:6:14: f, derivative by x: it cannot be compared: at 0 of 600 points" in finding


def test_a_wrong_reading_is_found(read: Read) -> None:
    """What a function is taken for is compared with what it gives."""
    module_name, functions, _ = read("def f(x):\n    return x * x\n")
    wrong = {"f": replace(functions["f"], meaning="x * x + 0.001")}
    (finding,) = map(str, check_functions(claims([module_name], wrong), wrong).findings.values())
    assert "scalars.py:6:1: f: at x=" in finding and "it is taken for x * x + 0.001, which gives " in finding


SPEC = """\
- name: bent_root(Tensor self, Tensor other) -> Tensor
  dtypes: [float]
  elementwise: bent_root(self, other)
  domain: {other: [0.1, 4]}

- name: soft(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self * softened(self)
"""
SOFTENED = "def softened(x):\n    return (1 + x * x) ** -HALF\n"


def spec_of(module_name: OpLibrary, text: str) -> str:
    (module_name.folder / "ops.yaml").write_text(text, encoding="utf-8")
    return str(module_name.folder / "ops.yaml")


def test_entries_need_no_formula(read: Read, capsys: pytest.CaptureFixture[str]) -> None:
    """They are derived from what is said and from what is read, proved, and right at all samples."""
    module_name, _, _ = read(RIGHT_ROOT + SOFTENED)
    spec = spec_of(module_name, SPEC)
    assert main([spec]) == 0, capsys.readouterr()
    assert " 0 wrong, " in capsys.readouterr().out
    assert main(["prove", "--spec", spec]) == 0
    assert capsys.readouterr().out == "3 gradients of element-wise ops: 3 proved, 0 equal in numbers, 0 wrong\n"


def test_a_wrong_slope_keeps_a_package_from_being_written(read: Read, capsys: pytest.CaptureFixture[str]) -> None:
    """It is blamed itself, beside the formula that was derived from it."""
    module_name, _, _ = read(RIGHT_ROOT.replace("-result ** 3", "result ** 3") + SOFTENED)
    assert main([spec_of(module_name, SPEC)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert any(
        line.startswith(f"{module_name.folder / 'scalars.py'}:6:54: bent_root, derivative by bend: at x=")
        for line in shown
    )
    assert any("ops.yaml:3:16: bent_root, gradient of other: " in line for line in shown)
    assert not (module_name.folder / "generated").exists()


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        ("[float]", "the derivative of looped by its argument 1: give it above the function, by @derivatives"),
        ("[float, complex]", "what looped computes is known of real numbers only: give its derivative by @derivatives"),
    ],
)
def test_what_nothing_is_known_of(kinds: str, says: str, read: Read, capsys: pytest.CaptureFixture[str]) -> None:
    """The error says what to do about it."""
    module_name, _, _ = read("def looped(x):\n    for _ in range(2):\n        x = x * x\n    return x\n")
    (module_name.folder / "scalars_complex.py").write_text("def looped(x):\n    return x\n", encoding="utf-8")
    text = f"- name: f(Tensor self) -> Tensor\n  dtypes: {kinds}\n  elementwise: looped(self)\n"
    assert main([spec_of(module_name, text), "--no-verify"]) == 1
    assert "ops.yaml:1:9: f, self: a differentiable argument needs a formula" in (shown := capsys.readouterr().err)
    assert f"none can be derived: {says}" in shown
