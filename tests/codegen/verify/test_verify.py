"""`verify` tells right formulas from wrong ones, and says where and how a wrong one is wrong."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.verify.command import Package, choose, verify
from specgrad.codegen.verify.op import verify_op
from specgrad.generated import ops
from specgrad.generated.registry import BY_NAME
from tests.codegen.mistakes import ENTRIES, MISTAKES, Mistake, entry_source, wrong_text

HINT = r"(?: \(.*see key kink\))?"
NUMBER = r"(-?(?:[\d.]+(?:e[-+]\d+)?|inf|nan)|\([^ ]+j\))"


@dataclass(frozen=True)
class Outcome:
    """What one run of the generator on a spec outside the tree gave."""

    spec: str
    out: Path
    status: int
    shown: str

    def about(self, op: str) -> list[str]:
        return [line for line in self.shown.splitlines() if f" {op}, " in line or f" {op}: " in line]

    def location(self, op: str, key: str) -> str:
        """Line and column of the value of a key in an entry."""
        lines = self.spec.splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith(f"- name: {op}("))
        starts = (f"  {key}: ", f"  dispatch: {{{key}: ")
        found = ((i, s) for i, line in enumerate(lines) for s in starts if i > begin and line.startswith(s))
        index, start = next(found)
        return f"ops.yaml:{index + 1}:{len(start) + 1}"


def wrong_name(mistake: Mistake) -> str:
    return f"wrong{MISTAKES.index(mistake)}"


def write_spec(folder: Path) -> Path:
    """All correct entries, and all wrong ones under names of their own."""
    right = [entry_source(f"right_{name}", name) for name in ENTRIES]
    wrong = [wrong_text(wrong_name(mistake), mistake) for mistake in MISTAKES]
    path = folder / "ops.yaml"
    path.write_text("\n".join([*right, *wrong]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One generation with its checks: the wrong entries make it fail."""
    folder = tmp_path_factory.mktemp("verify")
    path = write_spec(folder)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        status = main([str(path), "--out", str(folder / "ops")])
    return Outcome(path.read_text(encoding="utf-8"), folder / "ops", status, shown.getvalue())


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_found_where_it_is(outcome: Outcome, mistake: Mistake) -> None:
    """One line names the file, the line and column of the formula, the op and the argument, and shows numbers."""
    name = wrong_name(mistake)
    lines = outcome.about(name)
    assert len(lines) == 1, lines
    location = outcome.location(name, mistake.argument)
    assert lines[0].startswith(f"{location}: {name}, "), lines[0]
    subjects = {"result": "forward mode", "batch": "batching", "backward": "backward"}
    subject = subjects.get(mistake.argument, f"gradient of {mistake.argument}")
    assert subject in lines[0]
    assert mistake.says in lines[0]


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.slope], ids=str)
def test_the_numbers_are_those_of_formula_and_function(outcome: Outcome, mistake: Mistake) -> None:
    """At the inputs shown, the wrong formula and the true slope are what the report says."""
    (line,) = outcome.about(wrong_name(mistake))
    found = re.search(rf"at \((.*)\) the formula gives {NUMBER}, the function's derivative is {NUMBER}{HINT}$", line)
    assert found, line
    inputs = {name: complex(value) for name, value in (part.split("=") for part in found[1].split(", "))}
    real = {name: value if value.imag else value.real for name, value in inputs.items()}
    assert mistake.formula is not None and mistake.slope is not None
    assert complex(found[2]) == pytest.approx(mistake.formula(**real), rel=0.02, abs=1e-9)
    assert complex(found[3]) == pytest.approx(mistake.slope(**real), rel=0.02, abs=1e-9)


def test_a_slope_of_the_wrong_side_has_a_hint(outcome: Outcome) -> None:
    """Where a formula gives a slope of a kink that is not the one asked for, and only there, the key is named."""
    hinted = {mistake.name for mistake in MISTAKES if "see key kink" in "".join(outcome.about(wrong_name(mistake)))}
    assert hinted == {"larger or equal at a kink", "whole gradient at a tie", "no gradient at a tie"}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_right_entry_passes(outcome: Outcome, name: str) -> None:
    """Nothing is said of an entry without a mistake."""
    assert outcome.about(f"right_{name}") == []


def test_the_last_line_counts(outcome: Outcome) -> None:
    """Ops, checks, wrong formulas and seconds."""
    ops = len(ENTRIES) + len(MISTAKES)
    assert re.search(rf"^{ops} ops, \d+ checks, {len(MISTAKES)} wrong, \d+ s$", outcome.shown, re.MULTILINE)


def test_a_package_with_wrong_formulas_is_not_written(outcome: Outcome) -> None:
    """A wrong formula never gets into a program."""
    assert outcome.status == 1
    assert "nothing was written" in outcome.shown
    assert not outcome.out.exists()


def test_ops_are_chosen_by_name_or_overload(capsys: pytest.CaptureFixture[str]) -> None:
    """A bare name stands for all overloads; an unknown one is an error that names the nearest."""
    known = ["pow.Tensor_Tensor", "pow.Scalar", "exp"]
    assert choose(known, []) == known
    assert choose(known, ["pow"]) == known[:2]
    assert choose(known, ["exp", "pow.Scalar"]) == known[1:]
    assert choose(known, ["pwo"]) is None
    assert "no op named 'pwo' (did you mean 'pow'?)" in capsys.readouterr().err


def test_kernels_that_differ_from_the_formulas_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A formula that is not what its fused kernel computes, and a CUDA kernel that is not the CPU's."""
    spec, out = tmp_path / "ops.yaml", tmp_path / "ops"
    spec.write_text(entry_source("fused_apart", "tanh") + entry_source("cuda_apart", "sqrt"), encoding="utf-8")
    assert main([str(spec), "--out", str(out), "--no-verify"]) == 0
    edit(out / "nodes" / "ops.py", "return node.fitted([grad * (1 - result * result)])", "return node.fitted([grad])")
    edit(out / "kernels" / "cuda" / "ops.py", "return sqrt(self)", "return sqrt(self + self)")
    capsys.readouterr()
    assert verify(Package.of(out)) == 1
    shown = capsys.readouterr().out
    assert re.search(r"ops\.yaml:5:9: fused_apart, fused gradient of self: at .*, the fused kernel: at element", shown)
    location = r"ops\.yaml:\d+: cuda_apart, simulated CUDA kernel forward: element \d of result 0"
    separate = location + r" is [\d.]+ on CUDA, [\d.]+ on the CPU"
    assert re.search(separate, shown)


RAISING = """\
- name: masked(Tensor self, Tensor other) -> Tensor
  dtype: float
  dtypes: [float]
  elementwise: (self & other) + 0
  self: grad
  other: grad
  result: auto_linear
- name: summed(Tensor self, float dim) -> Tensor
  dtypes: [float]
  kernel: cumsum
  self: grad
  result: auto_linear
  samples: ["self=T(3, 4), dim=1.5"]
- name: checked(Tensor self, int dim) -> Tensor
  dtypes: [float]
  kernel: cumsum
  check: one_dim
  self: grad.flip([dim]).cumsum(dim).flip([dim])
  result: self_t.cumsum(dim)
  samples: ["self=T(3, 4), dim=7"]
  errors: ["self=T(3, 4), dim=-7"]
- name: made(Tensor self, int dim) -> Tensor
  dtypes: [float]
  composite: cumsum(self, dim)
  samples: ["self=T(3, 4), dim=7"]
"""


def test_an_error_names_the_key_that_it_comes_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each: the expression, of which numba says what and where; the kernel, the check, the composite."""
    spec = tmp_path / "ops.yaml"
    spec.write_text(RAISING, encoding="utf-8")
    assert main([str(spec), "--out", str(tmp_path / "ops")]) == 1
    lines = capsys.readouterr().out.splitlines()
    begins = [
        "ops.yaml:4:16: masked, elementwise: at (self=T(3, 4), other=T(3, 4)): TypingError: numba: no implementation "
        "of and_(float64, float64), in result[i] = (self[i] & other[i]) + T(0)",
        "ops.yaml:10:11: summed, kernel: at (self=T(3, 4), dim=1.5): TypeError: tuple indices must be integers",
        "ops.yaml:17:10: checked, check: at (self=T(3, 4), dim=7): DimensionError: checked(): Dimension out of range",
        "ops.yaml:24:14: made, composite: at (self=T(3, 4), dim=7): DimensionError: cumsum(): Dimension out of range",
    ]
    assert len(lines) == len(begins) + 1
    assert [line.startswith(begin) for line, begin in zip(lines, begins, strict=False)] == [True] * len(begins), lines


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def mul_of_tensors_only(input: Any, other: Any) -> Any:
    """mul with a wrong kernel for numbers."""
    return ops.mul(input, other + 1 if isinstance(other, float) else other)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("sub.Tensor", {"commutative": True}, "commutative: result"),
        ("mul.Tensor", {"function": mul_of_tensors_only}, "for a number"),
    ],
)
def test_false_statements_about_operators_are_found(name: str, change: dict[str, object], says: str) -> None:
    """That operands may change places, and that a number operand is what a 0-d tensor of it is, are checked."""
    assert not verify_op(BY_NAME[name]).findings
    found = [str(f) for f in verify_op(dataclasses.replace(BY_NAME[name], **change)).findings.values()]
    assert found and all(says in text and name in text for text in found), found


KINKS = """\
- name: bent(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: abs(self) * self
  kink: left
  edge_cases: ["self=V([0.0])"]
- name: broken(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self if self > 0 else 2 * self
  kink: left
- name: met(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self if self > 0 else 2 * self
  kink: left
  edge_cases: ["self=V([0.0])"]
"""


def test_a_policy_without_a_kink_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of an op that has none; where algebra finds the kink, or a call meets it, nothing is said."""
    spec = tmp_path / "ops.yaml"
    spec.write_text(KINKS, encoding="utf-8")
    assert main([str(spec), "--out", str(tmp_path / "ops")]) == 1
    missing = "kink: no call of the entry meets a kink: give one in `edge_cases`, or leave the key out"
    assert capsys.readouterr().out.splitlines()[:-1] == [f"ops.yaml:4:9: bent, {missing}"]


ONCE = """\
- name: cubed(Tensor self) -> Tensor
  dtypes: [float]
  composite: self * self * self
  samples: ["self=T(3)"]
- name: once(Tensor self, Tensor other) -> Tensor
  variants: [function]
  dtypes: [float]
  kernel: {kernel}
  dispatch: {{batch: elementwise}}
  self: {slope}
  other: grad * 0
  result: self_t
  flags: [once_differentiable: {once}]
  samples: ["self=T(3), other=T(3)"]
"""


SHAPES = """\
- name: lost(Tensor self, int dim) -> Tensor
  dtypes: [float]
  kernel: cumsum
  dispatch: {{meta: {rule}}}
  check: one_dim
  self: grad.flip([dim]).cumsum(dim).flip([dim])
  result: self_t.cumsum(dim)
  samples: ["self=T(3, 4), dim=1"]
  errors: ["self=T(3, 4), dim=-7"]
"""


@pytest.mark.parametrize(("rule", "given"), [("same", ""), ("one_number", "()"), ("like_shapes", "(2, 3, 4)")])
def test_a_wrong_shape_rule_is_found(rule: str, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rule of the runtime or of the package that says another shape than the kernel gives."""
    package = tmp_path / "shaped_ops"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    rules = "def like_shapes(self, dim):\n    return (2, *self.shape)\n"
    (package / "shapes.py").write_text(rules, encoding="utf-8")
    spec = package / "ops.yaml"
    spec.write_text(SHAPES.format(rule=rule), encoding="utf-8")
    assert main([str(spec)]) == bool(given)
    says = f"ops.yaml:4:20: lost, meta: at (self=T(3, 4), dim=1) on the device meta it gives [({given}, "
    assert (says in capsys.readouterr().out) == bool(given)


@pytest.mark.parametrize(
    ("slope", "once", "says"),
    [
        ("grad + 0 * nextafter(self, other)", "true", ""),
        (
            "grad + 0 * nextafter(self, other)",
            "false",
            "(where that is meant the entry has the flag `once_differentiable`)",
        ),
        ("grad + 0 * self", "true", "it can be differentiated twice: leave the flag out"),
    ],
)
def test_an_op_that_is_differentiable_once(
    slope: str, once: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so, and then a second derivative is the error that it should be; saying it of another op is a mistake."""
    package = tmp_path / "once_ops"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "kernels.py").write_text("def first(a, b):\n    return a + 0 * b\n", encoding="utf-8")
    spec = package / "once_ops.yaml"
    spec.write_text(ONCE.format(kernel="first", slope=slope, once=once), encoding="utf-8")
    assert main([str(spec)]) == bool(says)
    assert says in capsys.readouterr().out


CHOSEN_SUM = """\
- name: chosen_sum(Tensor self, Tensor mask, int dim=-1) -> Tensor
  dtype: promote
  dtypes: [float]
  check: none
  rows: result = sum(self if mask else 0)
  self: where(mask, grad.unsqueeze(dim), 0)
  mask: non_differentiable
  result: where(mask, self_t, 0).sum([dim])
  samples: ["self=T(3, 4), mask=B(3, 4)"]
  doc: the sum of what a mask takes
"""


def test_rows_with_a_mask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not differentiable goes to the simulated device with what is."""
    (tmp_path / "chosen.yaml").write_text(CHOSEN_SUM, encoding="utf-8")
    assert main([str(tmp_path / "chosen.yaml"), "--out", str(tmp_path / "chosen_ops")]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"1 op, \d+ checks, 0 wrong", shown), shown
