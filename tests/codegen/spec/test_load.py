"""Reading a spec file: what an entry becomes, and every mistake of form with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.proof.derive import load_on_demand, load_spec
from specgrad.codegen.spec.load import EntriesOnDemand, read_spec
from specgrad.codegen.spec.model import Entry, Spec, Where

Load = Callable[[str], tuple[Spec, list[str]]]

MUL = """\
- name: mul.Tensor(Tensor self, Tensor other) -> Tensor
  variants: [function, method, inplace]
  operator: "*"
  aliases: [multiply]
  elementwise: self * other
  self: grad * other.conj()
  other: grad * self.conj()
  result: auto_multilinear
  domain: {self: [0.5, 1e3]}
  samples: ["self=T(3), other=T(1)"]
  doc: x * y
"""

MAX = """\
- name: max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)
  kernel: max_dim
  check: one_dim
  dtypes: [int, float]
  result_dtype: [same, int64]
  self: grad.scatter(dim, indices)
  values: auto_select
  kink: smaller
  domain: [-1, 1]
"""


def test_an_entry_holds_what_the_spec_says(entry: Callable[[str], Entry]):
    mul = entry(MUL)
    assert (mul.name, mul.identifier, mul.where) == ("mul.Tensor", "mul_tensor", Where("spec.yaml", 1, 9))
    assert (mul.compute.kind, mul.compute.text, mul.operator) == ("elementwise", "self * other", "*")
    assert (mul.variants, mul.aliases) == (("function", "method", "inplace"), ("multiply",))
    assert (mul.gradients["other"].text, mul.gradients["other"].where.line) == ("grad * self.conj()", 7)
    assert mul.forward["result"].keyword == "auto_multilinear"
    assert mul.domain == {"self": (0.5, 1000.0)}
    assert mul.samples[0].arguments.keys() == {"self", "other"}
    assert (mul.complex, mul.output_differentiability, mul.doc) == (True, (True,), "x * y")
    assert mul.key_locations["operator"] == Where("spec.yaml", 3, 13)


def test_outputs_of_dtype_int64_are_not_differentiable(entry: Callable[[str], Entry]):
    top = entry(MAX)
    assert (top.result_dtype, top.output_differentiability) == (("same", "int64"), (True, False))
    assert (top.compute.kind, top.compute.tree, top.check, top.kink) == ("kernel", None, "one_dim", ("smaller",))
    assert (top.complex, top.domain) == (False, {"self": (-1.0, 1.0)})


def test_one_word_stands_for_all_outputs(entry: Callable[[str], Entry]):
    top = entry(MAX.replace("[same, int64]", "int64"))
    assert (top.result_dtype, top.output_differentiability) == (("int64", "int64"), (False, False))


def test_an_empty_file_is_a_spec_without_entries(load: Load):
    assert load("# nothing yet\n") == (Spec("spec.yaml", ()), [])


def test_an_entry_that_cannot_be_read_leaves_its_name(load: Load):
    spec, problems = load("- name: foo.bar(Tensr x) -> Tensor\n" + MUL)
    assert [entry.name for entry in spec.entries] == ["mul.Tensor"]
    assert spec.broken == {"foo"}
    assert problems == ["spec.yaml:1:17: foo.bar: bad schema: unknown type 'Tensr' (did you mean 'Tensor'?)"]


# What is changed in MUL, and the problem that makes.
MISTAKES = [
    ("-> Tensor", "-> Tensro",
     "1:50: mul.Tensor: bad schema: unknown type 'Tensro' (did you mean 'Tensor'?)"),
    ("- name", "- nmae", "1:3: an entry needs the key 'name' with the op's schema"),
    ("elementwise:", "elementwize:",
     "5:3: mul.Tensor: unknown key 'elementwize' (did you mean 'elementwise'?)"),
    ("doc:", "othr:", "11:3: mul.Tensor: unknown key 'othr' (did you mean 'other'?)"),
    ("doc: x", "othr: grad",
     "11:3: mul.Tensor: 'othr' is no argument to give a gradient of (did you mean 'other'?)"),
    ("doc: x", "reslt: x_t",
     "11:3: mul.Tensor: 'reslt' is no output to give a forward formula of (did you mean 'result'?)"),
    ("doc:", "self:", "11:3: mul.Tensor: key 'self' is given twice, first in line 6"),
    ("doc:", "kernel:", "11:3: mul.Tensor: 'elementwise' and 'kernel' exclude each other"),
    ("method,", "methd,", "2:24: mul.Tensor, variants: unknown value 'methd' (did you mean 'method'?)"),
    ('"*"', '"x"',
     "3:14: mul.Tensor, operator: unknown value 'x' "
     "(one of + - * / // % ** @ & | ^ ~ << >> r- == != < <= > >= neg abs invert)"),
    ("doc: x * y", "dtype: promot",
     "11:10: mul.Tensor, dtype: unknown value 'promot' (did you mean 'promote'?)"),
    ("doc: x * y", "result_dtype: [int46]",
     "11:18: mul.Tensor, result_dtype: unknown value 'int46' (did you mean 'int64'?)"),
    ("doc: x * y", "dtypes: [floats, int]",
     "11:12: mul.Tensor, dtypes: unknown value 'floats' (did you mean 'float'?)"),
    ("doc: x * y", "kink: biggest",
     "11:9: mul.Tensor, kink: unknown value 'biggest' (one of average smaller larger left right)"),
    ("doc: x * y", "complex: perhaps",
     "11:12: mul.Tensor, complex: unknown value 'perhaps' (one of True False true false)"),
    ("doc: x * y", "namespace: nn.function",
     "11:14: mul.Tensor, namespace: unknown value 'nn.function' (did you mean 'nn.functional'?)"),
    ("doc: x * y", "result_dtype: [same, int64]", "11:17: mul.Tensor, result_dtype: 2 values for 1 outputs"),
    ("doc: x * y", "output_differentiability: [true, false]",
     "11:29: mul.Tensor, output_differentiability: 2 values for 1 outputs"),
    ("doc: x * y", "doc: [x, y]", "11:8: mul.Tensor, doc: one value is wanted here, not a list: an expression "
     "that begins with '[' stands in quotes"),
    ("doc: x * y", "example: sg.mul(2, 3)", "11:12: mul.Tensor, example: an example begins with '>>> '"),
    ("[multiply]", "[[multiply]]", "4:13: mul.Tensor, aliases: a list of plain values is wanted here"),
    ("grad * other.conj()", "0", "6:9: mul.Tensor, self: 0 is a constant, where a formula belongs"),
    ("other.conj()", "(other.conj()", "6:16: mul.Tensor, self: bracket '(' is never closed"),
    ("self * other", "self.exp()", "5:16: mul.Tensor, elementwise: there are no methods here: write exp(self)"),
    ("self=T(3)", "T(3)",
     "10:14: mul.Tensor, samples: write each argument of a sample with its name, as in self=T(3)"),
    ("[0.5, 1e3]", "[2, 1]",
     "9:18: mul.Tensor, domain: an interval [lo, hi] with lo < hi is wanted here, neither beyond 1e15"),
    ("[0.5, 1e3]", "half",
     "9:18: mul.Tensor, domain: an interval [lo, hi] with lo < hi is wanted here, neither beyond 1e15"),
    ("{self:", "{slef:", "9:12: mul.Tensor, domain: no argument 'slef' (did you mean 'self'?)"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "problem"), MISTAKES)
def test_a_mistake_has_its_place(load: Load, right: str, wrong: str, problem: str):
    _, problems = load(MUL.replace(right, wrong, 1))
    assert problems == [f"spec.yaml:{problem}"]


def test_a_formula_over_several_lines_has_the_place_in_its_own_line(load: Load):
    _, problems = load(MUL.replace("grad * other.conj()", "grad *\n       (other.conj)()()"))
    assert problems == ["spec.yaml:7:8: mul.Tensor, self: only a function or a method can be called"]


def test_all_mistakes_of_a_file_are_found_at_once_in_order(load: Load):
    wrong = MUL.replace("operator", "opertor").replace("auto_multilinear", "grad +")
    _, problems = load("- 3\n" + wrong + MAX.replace("grad", "(grad"))
    assert problems == [
        "spec.yaml:1:3: an entry is a mapping, `- name: ...`",
        "spec.yaml:4:3: mul.Tensor: unknown key 'opertor' (did you mean 'operator'?)",
        "spec.yaml:9:17: mul.Tensor, result: syntax error: the expression ends too early",
        "spec.yaml:18:9: max.dim, self: bracket '(' is never closed",
    ]


def test_a_spec_is_a_list(load: Load):
    assert load("name: x\n")[1] == ["spec.yaml:1:1: a spec is a list of entries, each `- name: ...`"]


def test_broken_yaml_is_a_problem_with_a_place(load: Load):
    _, (problem,) = load("- name: 'abs\n")
    assert problem == "spec.yaml:1:9: cannot be read: the quote ' is never closed"


def test_problems_may_name_the_file_otherwise(tmp_path: Path):
    (tmp_path / "spec.yaml").write_text("- 3\n", encoding="utf-8")
    _, (problem,) = load_spec(tmp_path / "spec.yaml", "mine.yaml")
    assert str(problem) == "mine.yaml:1:3: an entry is a mapping, `- name: ...`"


def test_a_missing_file_is_a_problem(tmp_path: Path):
    path = tmp_path / "no.yaml"
    spec, problems = load_spec(path)
    assert (spec.entries, [str(p) for p in problems]) == (
        (),
        [f"{path}:1:1: cannot be read: No such file or directory"],
    )


def test_reading_derives_nothing(tmp_path: Path):
    """An entry that is read has the formulas that are written; what loads a spec for use derives the others."""
    path = tmp_path / "spec.yaml"
    path.write_text("- name: f(Tensor self) -> Tensor\n  dtypes: [float]\n  elementwise: exp(self)\n", encoding="utf-8")
    for read in (read_spec(path)[0].entries[0], EntriesOnDemand(path)["f"]):
        assert (read.gradients, read.forward) == ({}, {})
    for loaded in (load_spec(path)[0].entries[0], load_on_demand(path)["f"]):
        assert {name: formula.text for name, formula in loaded.gradients.items()} == {"self": "grad * result"}
