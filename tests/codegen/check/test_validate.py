"""The sense of a spec: names, calls, entries and samples, each mistake with its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.spec.model import Spec

Check = Callable[..., list[str]]
Load = Callable[[str], tuple[Spec, list[str]]]


# The entry, what is replaced in it by what, and the problem that makes.
NAMES = [
    ("MUL", "* other.conj()", "* othr",
     "8:16: mul.Tensor, self: unknown name 'othr' (did you mean 'other'?)"),
    ("MUL", "other.conj()", "other.cnj()",
     "8:16: mul.Tensor, self: unknown method 'cnj' (did you mean 'conj'?)"),
    ("MUL", "other.conj()", "cnj(other)",
     "8:16: mul.Tensor, self: unknown function 'cnj' (did you mean 'conj'?)"),
    ("MUL", "other.conj()", "other.rael",
     "8:16: mul.Tensor, self: unknown attribute 'rael' (did you mean 'real'?)"),
    ("MUL", "* other.conj()", "* conj + other", "8:16: mul.Tensor, self: function 'conj' is used as a value"),
    ("MUL", "other.conj()", "other(grad)", "8:16: mul.Tensor, self: 'other' is a value here, not a function"),
    ("MUL", "other.conj()", "spread(other)", "8:16: mul.Tensor, self: spread takes 2 to 3 arguments, got 1"),
    ("MUL", "other.conj()", "other.conj(1)", "8:16: mul.Tensor, self: conj takes 0 arguments, got 1"),
    ("MUL", "other.conj()", "conj(other, 1)", "8:16: mul.Tensor, self: conj takes 1 argument, got 2"),
    ("MUL", "other.conj()", "conj(self.ndim + 1)",
     "8:16: mul.Tensor, self: conj takes a Tensor, not numbers: operators and `a if a > b else b` "
     "take these"),
    ("MUL", "other.conj()", "conj()", "8:16: mul.Tensor, self: conj misses argument 'self'"),
    ("MUL", "other.conj()", "conj(inputs=other)",
     "8:16: mul.Tensor, self: conj has no argument 'inputs' (did you mean 'input'?)"),
    ("MUL", "other.conj()", "other.size(0, 1)", "8:16: mul.Tensor, self: size takes 0 to 1 arguments, got 2"),
    ("MUL", "other.conj()", "other.to()",
     "8:16: mul.Tensor, self: to takes 1 or more arguments, got 0"),
    ("MUL", "self * other", "slf * other",
     "7:16: mul.Tensor, elementwise: unknown name 'slf' (did you mean 'self'?)"),
    ("EXP", "exp(self)", "exo(self)", "7:16: exp, elementwise: unknown function 'exo' (did you mean 'exp'?)"),
    ("EXP", "exp(self)", "exp(self, 2)", "7:16: exp, elementwise: exp takes 1 argument, got 2"),
    ("EXP", "exp(self)", "floor(self)",
     "7:16: exp, elementwise: 'floor' has no complex version: leave complex out of dtypes"),
    ("SQUARE", "mul(self, self)", "slef.conj()",
     "7:14: square, composite: unknown name 'slef' (did you mean 'self'?)"),
    ("SUM", "sum_dim", "sum_dmi",
     "7:11: sum, kernel: there is no kernel 'sum_dmi' (did you mean 'sum_dim'?)"),
    ("SUM", "kernel: sum_dim", "view: transpoze",
     "7:9: sum, view: there is no view 'transpoze' (did you mean 'transpose'?)"),
    ("SUM", "one_dim", "one_dmi", "8:10: sum, check: there is no check 'one_dmi' (did you mean 'one_dim'?)"),
    ("SUM", "check: one_dim", "dispatch: {batch: redution}",
     "8:21: sum, batch: there is no batching rule 'redution' (did you mean 'reduction'?)"),
    ("SUM", "check: one_dim", "dispatch: {meta: redcued}",
     "8:20: sum, meta: there is no shape rule 'redcued' (did you mean 'reduced'?)"),
]  # fmt: skip


def test_an_op_without_computation_has_the_kernel_of_its_name(check: Check) -> None:
    """Where there is none, the keys that compute are listed."""
    entry = "- name: {}(Tensor self) -> Tensor\n  self: non_differentiable\n  samples: [self=T(3)]\n"
    assert check(entry.format("mm")) == []
    assert check(entry.format("nn")) == [
        "spec.yaml:1:9: nn: the op is not computed: give one of elementwise, kernel, rows, indexed, view, composite, "
        "or write a kernel named 'nn'"
    ]


ENTRIES = [
    ("MUL", "other", "grad",
     "6:9: mul.Tensor, grad: in a formula this is the incoming gradient: call the argument grad_output"),
    ("MUL", "Tensor self, Tensor other", "Tensor self, Tensor other, Tensor domain",
     "6:9: mul.Tensor, domain: the argument's name is a key of the spec"),
    ("MAX", "values", "dim",
     "6:9: max.dim, dim: the output's name is that of an argument or a key of the spec"),
    ("EXP", "elementwise", "aliases: [conj]\n  elementwise",
     "7:13: exp, aliases: 'conj' is the name of conj, at spec.yaml:1:9"),
    ("EXP", "Tensor self)", "Tensor self, int[] dim=[])",
     "6:9: exp: an elementwise op takes tensors and numbers, not the argument 'dim'"),
    ("MAX", "kernel", "output_differentiability: [True, True]\n  kernel",
     "7:29: max.dim, output_differentiability: an output of dtype int64 is not differentiable"),
]  # fmt: skip

SAMPLES = [
    ("SUM", "dim=1", "dmi=1", "11:38: sum, samples: the op has no argument 'dmi' (did you mean 'dim'?)"),
    ("SUM", ", dim=1", "", "11:14: sum, samples: the sample misses dim"),
    ("SUM", "dim=1", "dim=one", "11:38: sum, samples: unknown name 'one'"),
    ("SUM", "T(3", "R(3", "11:19: sum, samples: unknown maker 'R' (one of T, I, B, V, ranks)"),
    ("SUM", "lo=0", "low=0", "11:27: sum, samples: T has no keyword 'low'"),
    ("SUM", "samples", "doc: x\n  hard", "6:9: sum, samples: there are no samples to verify the op with"),
    ("SUM", "self, ", "self, Tensor? weight, ",
     "11:12: sum, samples: no sample gives 'weight': add one, or say under `skip_grad_args` why there is none"),
    ("SUM", "T(3, 4, lo=0)", "V([1.0], real=False)",
     "11:19: sum, samples: V takes real=True, for numbers that stay real where the others are complex"),
]  # fmt: skip


def test_a_correct_spec_has_no_problems(check: Check, entries: dict[str, str]):
    assert check("".join(entries.values())) == []


@pytest.mark.parametrize(("entry", "right", "wrong", "problem"), NAMES + ENTRIES + SAMPLES)
def test_a_mistake_has_its_place(spoil: Check, entry: str, right: str, wrong: str, problem: str):
    assert f"spec.yaml:{problem}" in spoil(entry, right, wrong)


def test_a_name_is_defined_once(check: Check, entries: dict[str, str]):
    assert check(entries["CONJ"] + entries["CONJ"]) == ["spec.yaml:6:9: conj: duplicate entry, first at spec.yaml:1:9"]
    both = entries["MAX"] + entries["MAX"].replace("max.dim", "max_dim")
    assert check(both) == ["spec.yaml:7:9: max_dim: max.dim is the same in Python, first at spec.yaml:1:9"]


def test_a_formula_may_call_ops_of_the_base_spec(check: Check, load: Load, entries: dict[str, str]):
    base, _ = load(entries["CONJ"] + entries["EXP"])
    assert check(entries["MUL"], base) == []


def test_an_entry_may_not_replace_one_of_the_base_spec(check: Check, load: Load, entries: dict[str, str]):
    base, _ = load(entries["CONJ"] + entries["EXP"])
    assert check(entries["EXP"], base) == ["spec.yaml:1:9: exp: duplicate entry, first at spec.yaml:6:9"]


def test_a_mistake_of_form_brings_no_mistakes_of_sense(load: Load, entries: dict[str, str]):
    conj = entries["CONJ"].replace("Tensor self", "Tensr self")
    mul = entries["MUL"].replace("other.conj()", "other.conj(")
    spec, problems = load(conj + mul)
    assert len(problems) == 2
    assert validate(spec, {}) == []


def test_overloads_share_a_name_and_sizes_may_be_given_one_by_one(check: Check, entries: dict[str, str]):
    ops = """\
- name: expand(Tensor self, int[] size) -> Tensor
  view: transpose
  self: grad.expand(2, 3).max(0).values + grad.max(grad) + max(grad, dim=1).indices
  result: auto_linear
  samples: ["self=T(3), size=[2, 3]"]
- name: max.other(Tensor self, Tensor other) -> Tensor
  composite: self + other
  samples: ["self=T(3), other=T(3)"]
"""
    assert check(ops + entries["MAX"]) == []
    assert check(ops.replace("grad.max(grad)", "grad.max()") + entries["MAX"]) == [
        "spec.yaml:3:43: expand, self: max misses argument 'other'; or misses argument 'dim'",
    ]
