"""The sense of gradient and forward formulas: each mistake with its place, and what is no mistake."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[..., list[str]]


# The entry, what is replaced in it by what, and the problem that makes.
GRADIENTS = [
    ("MUL", "grad * other.conj()", "other.conj()", "8:9: mul.Tensor, self: the formula never uses grad"),
    ("MUL", "self * other\n  self: grad * other.conj()\n", "(self if self > 0 else 0) * other\n",
     "6:9: mul.Tensor, self: a differentiable argument needs a formula, or non_differentiable; none can be derived: "
     "self > 0 is no analytic function of complex numbers"),
    ("SUM", "check: one_dim", "dim: grad.conj()", "8:8: sum, dim: only a Tensor argument has a gradient"),
    ("FILL", "grad * result", "grad * self",
     "10:18: addcopy_, source: reads 'self', which the op has overwritten: use result"),
    ("SQUARE", "mul(self, self)", "self * self\n  self: grad * 2",
     "8:9: square, self: a composite op is differentiated through: it takes no formula"),
]  # fmt: skip

FORWARD = [
    ("EXP", "self: grad * result.conj()", "self: non_differentiable",
     "9:11: exp, result: a forward formula, but no argument has a gradient"),
    ("MUL", "  result: auto_multilinear\n", "",
     "6:9: mul.Tensor, result: a differentiable output needs a forward formula, such as auto_linear"),
    ("MUL", "auto_multilinear", "auto_linear",
     "10:11: mul.Tensor, result: the op is not linear: the gradient of 'self' reads 'other'"),
    ("EXP", "auto_element_wise", "auto_linear",
     "9:11: exp, result: the op is not linear: the gradient of 'self' reads 'result'"),
    ("EXP", "auto_element_wise", "auto_multilinear",
     "9:11: exp, result: the op is not linear in 'self': the gradient of 'self' reads 'result'"),
    ("MUL", "grad * self.conj()", "grad.conj()",
     "10:11: mul.Tensor, result: the op is not a product: the gradient of 'other' does not read 'self'"),
    ("SUM", "auto_linear", "auto_element_wise",
     "10:11: sum, result: auto_element_wise, but the op is not elementwise"),
    ("SUM", "auto_linear", "auto_select",
     "10:11: sum, result: auto_select needs a second output, the indices, of result_dtype int64"),
    ("SUM", "auto_linear", "self_p.conj()", "10:11: sum, result: the formula never uses a tangent (self_t)"),
    ("SUM", "auto_linear", "self_q + self_t",
     "10:11: sum, result: unknown name 'self_q' (did you mean 'self_t'?)"),
    ("MAX", "values: auto_select", "values: auto_select\n  indices: zero",
     "11:12: max.dim, indices: the output is not differentiable"),
]  # fmt: skip


# A kernel for backward, put behind the formula it stands for, and the problem that makes; None for none.
BACKWARD = [
    ("SUM", "spread(grad, self.shape)", "cat(grad, self.shape, dim)", None),
    ("SUM", "spread(grad, self.shape)", "catt(grad)",
     "10:13: sum, backward: there is no kernel 'catt' (did you mean 'cat'?)"),
    ("SUM", "spread(grad, self.shape)", "grad.sum()", "10:13: sum, backward: the call of a kernel is wanted here"),
    (
        "SUM",
        "spread(grad, self.shape)",
        "cat(grad, dim=dim)",
        "10:13: sum, backward: the kernel takes its arguments by their order, without names",
    ),
    ("SUM", "spread(grad, self.shape)", "cat(self.shape)", "10:13: sum, backward: the kernel does not get grad"),
    ("SUM", "spread(grad, self.shape)", "cat(grad, dims)",
     "10:23: sum, backward: unknown name 'dims' (did you mean 'dim'?)"),
    ("MM", "grad.mm(other)", "mm(grad, self)", "9:13: mm, backward: the kernel does not get 'output_mask'"),
    ("MUL", "grad * self.conj()", "mm(output_mask, grad, other)",
     "10:13: mul.Tensor, backward: only ops of a kernel or a view have a kernel for backward"),
]  # fmt: skip
MM = """\
- name: mm(Tensor self, Tensor other) -> Tensor
  kernel: mm
  self: grad.mm(other)
  other: grad.mm(self)
  result: auto_multilinear
  samples: ["self=T(3, 3), other=T(3, 3)"]
"""


@pytest.mark.parametrize(("entry", "formula", "kernel", "problem"), BACKWARD)
def test_a_kernel_for_backward(
    check: Check, entries: dict[str, str], entry: str, formula: str, kernel: str, problem: str | None
):
    """It is a call of a kernel, over names in scope; it gets the gradient, and what is wanted if that is a choice."""
    spec = (entries["CONJ"] + entries.get(entry, MM)).replace(f"{formula}\n", f"{formula}\n  backward: {kernel}\n", 1)
    found = [line for line in check(spec) if ", backward: " in line]
    assert found == ([f"spec.yaml:{problem}"] if problem else [])


@pytest.mark.parametrize(("entry", "right", "wrong", "problem"), GRADIENTS + FORWARD)
def test_a_mistake_has_its_place(spoil: Check, entry: str, right: str, wrong: str, problem: str):
    assert f"spec.yaml:{problem}" in spoil(entry, right, wrong)


def test_several_differentiable_outputs_have_grads(check: Check, entries: dict[str, str]):
    forward = "self_t.conj()\n  indices: self_t.conj()"
    both = entries["MAX"].replace("[same, int64]", "same").replace("auto_select", forward)
    assert check(entries["CONJ"] + both) == [
        "spec.yaml:9:16: max.dim, self: unknown name 'grad' (did you mean 'grads'?)",
    ]
    assert check(entries["CONJ"] + both.replace("grad,", "grads[0] + grads[1],")) == []


def test_a_list_of_tensors_has_grads(check: Check, entries: dict[str, str]):
    assert check(entries["SUM"].replace("-> Tensor", "-> Tensor[]").replace("grad,", "grads,")) == []


def test_an_op_without_differentiable_output_needs_no_formulas(check: Check):
    equal = """\
- name: eq(Tensor self, Tensor other) -> Tensor
  elementwise: self == other
  result_dtype: bool
"""
    assert check(equal) == []
    assert check(equal + "  self: grad * other\n") == [
        "spec.yaml:4:9: eq, self: no output is differentiable, so there is no gradient",
    ]


def test_an_argument_without_gradient_is_bare_in_forward_formulas(check: Check):
    take = """\
- name: take(Tensor self, Tensor index) -> Tensor
  kernel: mm
  self: grad * index
  index: non_differentiable
  result: self_t * index
  samples: ["self=T(3), index=I(3, high=2)"]
"""
    assert check(take) == []
    assert check(take.replace("self_t * index", "self_t * index_t")) == [
        "spec.yaml:5:20: take, result: unknown name 'index_t' (did you mean 'index_p'?)",
    ]


def test_an_in_place_op_may_read_the_shape_of_what_it_overwrites(check: Check, entries: dict[str, str]):
    assert check(entries["FILL"].replace("grad * result", "grad.to(self.dtype)")) == []


def test_a_linear_op_may_read_shapes_and_arguments_without_gradient(check: Check, entries: dict[str, str]):
    formula = "spread(grad, self.size(dim), keepdim)"
    assert check(entries["SUM"].replace("spread(grad, self.shape)", formula)) == []
