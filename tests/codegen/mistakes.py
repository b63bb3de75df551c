"""Entries that are right, and plausible mistakes in them: what `verify` must tell apart. Used by test_verify.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent

Numbers = Callable[..., float]

REVERSED = "grad.flip([dim]).cumsum(dim).flip([dim])"  # the gradient of cumsum

# Correct entries, without the `- name: NAME` that begins each.
ENTRIES = {
    "atan2": """\
        (Tensor self, Tensor other) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: atan2(self, other)
          where: {distance: "where((self == 0) & (other == 0), 1, hypot(self, other))"}
          self: grad * other / distance / distance
          other: -grad * self / distance / distance
          result: auto_element_wise
        """,
    "tanh": """\
        (Tensor self) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: tanh(self)
          self: grad * (1 - result * result)
          result: auto_element_wise
        """,
    "sqrt": """\
        (Tensor self) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: sqrt(self)
          self: grad / (2 * result)
          result: auto_element_wise
          domain: [0.5, 4]
        """,
    "square": """\
        (Tensor self) -> Tensor
          elementwise: self * self
          self: grad * (2 * self).conj()
          result: auto_element_wise
        """,
    "steep": """\
        (Tensor self, Scalar slope) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: tanh(slope * self)
          self: grad * slope * (1 - result * result)
          result: auto_element_wise
          samples: ["self=T(3), slope=2", "self=T(2, 2), slope=0.5"]
        """,
    "relu": """\
        (Tensor self) -> Tensor
          dtypes: [float]
          elementwise: maximum(self, 0)
          self: where(self > 0, grad, 0)
          result: auto_element_wise
          edge_cases: ["self=V([0.0, 1.0])"]
          kink: smaller
        """,
    "maximum": """\
        (Tensor self, Tensor other) -> Tensor
          dtypes: [float]
          elementwise: maximum(self, other)
          self: where(self > other, grad, where(self == other, 0.5 * grad, 0))
          other: where(self < other, grad, where(self == other, 0.5 * grad, 0))
          result: auto_element_wise
          edge_cases: ["self=V([1.0, 2.0]), other=V([1.0, 3.0])"]
        """,
    "limited": """\
        (Tensor self, Scalar min, Scalar max) -> Tensor
          dtypes: [float]
          elementwise: minimum(maximum(self, min), max)
          self: where((self >= min) & (self <= max), grad, 0)
          result: auto_element_wise
          kink: larger
          samples: ["self=T(3, 4), min=-0.5, max=0.5"]
        """,
    "power": """\
        (Tensor self, Scalar exponent) -> Tensor
          dtypes: [float]
          elementwise: pow(self, exponent)
          self: grad * exponent * pow(self, exponent - 1)
          result: auto_element_wise
          domain: [0.5, 2]
          samples: ["self=T(3, 4), exponent=3", "self=T(3), exponent=-1.5"]
        """,
    "erf": """\
        (Tensor self) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: erf(self)
          self: 1.1283791670955126 * grad * exp(-self * self)
          result: auto_element_wise
        """,
    "chosen": """\
        (Tensor condition, Tensor self, Tensor other) -> Tensor
          dtypes: [float]
          check: boolean_condition
          elementwise: where(condition, self, other)
          condition: non_differentiable
          self: where(condition, grad, 0)
          other: where(condition, 0, grad)
          result: where(condition, self_t, other_t)
          samples: ["condition=V([True, False, True]), self=T(3), other=T(3)"]
          errors: {RuntimeError: "condition=T(3), self=T(3), other=T(3)"}
        """,
    "cube": """\
        (Tensor self) -> Tensor
          dtypes: [float]
          elementwise: self * self * self
          self: 3 * grad * (self * self)
          result: 3 * self_p * self_p * self_t
        """,
    "product": """\
        (Tensor self, Tensor other) -> Tensor
          dtypes: [float, complex]
          elementwise: self * other
          self: grad * other.conj()
          other: grad * self.conj()
          result: self_t * other_p + self_p * other_t
        """,
    "sum": """\
        (Tensor self, int[1]? dim, bool keepdim=False) -> Tensor
          check: reduced_dims
          errors: ["self=T(3, 3), dim=2"]
          kernel: sum_dim
          dispatch: {batch: reduction}
          self: restore_reduced_dims(grad, self.shape, dim, keepdim)
          result: auto_linear
          samples: ["self=T(3, 3), dim=1", "self=T(3, 4), dim=0, keepdim=True"]
        """,
    "mean": """\
        (Tensor self) -> Tensor
          dtype: same
          dtypes: [float]
          kernel: mean_all
          self: (grad / self.numel()).expand(self.shape)
          result: auto_linear
          samples: ["self=T(3, 4)"]
        """,
    "cumsum": """\
        (Tensor self, int dim) -> Tensor
          dtypes: [float]
          check: one_dim
          errors: ["self=T(3, 4), dim=2"]
          kernel: cumsum
          dispatch: {batch: along}
          self: grad.flip([dim]).cumsum(dim).flip([dim])
          result: self_t.cumsum(dim)
          samples: ["self=T(3, 4), dim=1"]
        """,
    "running": """\
        (Tensor self, int dim) -> Tensor
          dtypes: [float]
          check: one_dim
          errors: ["self=T(3, 4), dim=2"]
          kernel: cumsum
          dispatch: {batch: along}
          self: grad.flip([dim]).cumsum(dim).flip([dim])
          backward: cumsum_backward(grad, dim)
          result: self_t.cumsum(dim)
          samples: ["self=T(3, 4), dim=1"]
        """,
    "matrices": """\
        (Tensor self, Tensor mat2) -> Tensor
          dtype: match
          dtypes: [float]
          check: mm
          errors: ["self=T(3, 3), mat2=T(2, 3)"]
          kernel: mm
          dispatch: {batch: product}
          self: grad.mm(adjoint(mat2))
          mat2: adjoint(self).mm(grad)
          backward: mm_backward(output_mask, grad, self, mat2)
          result: self_t.mm(mat2_p) + self_p.mm(mat2_t)
          samples: ["self=T(3, 3), mat2=T(3, 3)"]
        """,
    "softmax": """\
        (Tensor self, int dim, ScalarType? dtype=None) -> Tensor
          dtype: same
          dtypes: [float]
          rows: |
            raised = exp(self - max(self))
            result = raised / sum(raised)
          check: one_dim
          errors: ["self=T(3, 4), dim=2"]
          self: softmax_backward(grad, result, dim)
          result: softmax_backward(self_t, result, dim)
          samples: ["self=T(3, 4), dim=1"]
        """,
    "largest": """\
        (Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
          dtype: same
          dtypes: [float]
          result_dtype: [same, int64]
          check: one_dim_nonempty
          errors: ["self=T(3, 4), dim=2"]
          kernel: max_dim
          where:
            chosen: restore_reduced_dims(indices, self.shape, dim, keepdim)
          self: zeros_of(grad, self.shape).scatter(dim, chosen, restore_reduced_dims(grad, self.shape, dim, keepdim))
          values: auto_select
          samples: ["self=T(3, 4), dim=1"]
        """,
    "mm": """\
        (Tensor self, Tensor mat2) -> Tensor
          dtype: match
          dtypes: [float, complex]
          check: mm
          errors: ["self=T(3, 3), mat2=T(2, 3)"]
          kernel: mm
          dispatch: {batch: product}
          self: grad.mm(adjoint(mat2))
          mat2: adjoint(self).mm(grad)
          result: self_t.mm(mat2_p) + self_p.mm(mat2_t)
          samples: ["self=T(3, 3), mat2=T(3, 3)"]
        """,
    "convolution": """\
        (Tensor self, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor
          dtype: match
          dtypes: [float]
          kernel: convolution
          check: convolution
          errors:
            - self=T(2, 5), weight=T(3, 2, 3), bias=T(3), stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1
          self: convolution_input_backward(grad, weight, self.shape, stride, padding, dilation, groups)
          weight: convolution_weight_backward(grad, self, weight.shape, stride, padding, dilation, groups)
          bias: sum_all_but(grad, 1)
          result: >-
            convolution(self_t, weight_p, None, stride, padding, dilation, groups)
            + convolution(self_p, weight_t, bias_t, stride, padding, dilation, groups)
          samples:
            - self=T(2, 2, 5), weight=T(3, 2, 3), bias=T(3), stride=(1,), padding=(0,), dilation=(1,), groups=1
        """,
    "select": """\
        (Tensor self, int dim, Tensor index) -> Tensor
          dtype: same
          dtypes: [float]
          check: index_select
          errors: ["self=T(3, 3), dim=2, index=V([0])"]
          kernel: index_select
          dispatch: {batch: select_rows}
          index: non_differentiable
          self: index_add(zeros_of(grad, self.shape), dim, index, grad)
          result: auto_linear
          samples: ["self=T(3, 3), dim=1, index=V([0, 0, 2])"]
        """,
    "joined": """\
        (Tensor[] tensors, int dim=0) -> Tensor
          dtype: promote
          dtypes: [float]
          check: cat
          errors: ["tensors=[T(2, 2), T(2, 3)], dim=0"]
          kernel: cat
          tensors: cat_backward(grad, sizes(tensors), dim)
          result: auto_linear
          samples: ["tensors=[T(2, 2), T(2, 2)], dim=1"]
        """,
}


@dataclass(frozen=True)
class Mistake:
    """`right` is written as `wrong` in an entry; verify must blame what stands at the key `argument`, and say `says`.

    For element-wise ops `formula` and `slope` compute, from the call that the report shows, the two numbers in it.
    """

    name: str
    entry: str
    right: str
    wrong: str
    argument: str
    says: str = "the formula gives"
    formula: Numbers | None = None
    slope: Numbers | None = None

    def __str__(self) -> str:
        return self.name


def norm2(self: float, other: float) -> float:
    return self * self + other * other


SECOND = "second derivative"
FORWARD = "by forward mode"
LOOP = ", the loop "
KERNEL = "the kernel's gradient of "

MISTAKES = [
    Mistake("sign", "atan2", "-grad * self /", "grad * self /", "other",
            formula=lambda self, other: self / norm2(self, other),
            slope=lambda self, other: -self / norm2(self, other)),
    Mistake("swapped arguments", "atan2", "grad * other /", "grad * self /", "self",
            formula=lambda self, other: self / norm2(self, other),
            slope=lambda self, other: other / norm2(self, other)),
    Mistake("input for output", "tanh", "result * result", "self * self", "self",
            formula=lambda self: 1 - self * self, slope=lambda self: 1 - math.tanh(self) ** 2),
    Mistake("missing factor", "sqrt", "(2 * result)", "result", "self",
            formula=lambda self: 1 / math.sqrt(self), slope=lambda self: 0.5 / math.sqrt(self)),
    Mistake("missing conjugate", "square", "(2 * self).conj()", "(2 * self)", "self",
            formula=lambda self: 2 * self, slope=lambda self: 2 * self.conjugate()),
    Mistake("wrong conjugate", "product", "grad * other.conj()", "grad.conj() * other", "self"),
    Mistake("missing chain factor", "steep", "grad * slope *", "grad *", "self",
            formula=lambda self, slope: 1 - math.tanh(slope * self) ** 2,
            slope=lambda self, slope: slope * (1 - math.tanh(slope * self) ** 2)),
    Mistake("larger or equal at a kink", "relu", "self > 0", "self >= 0", "self",
            formula=lambda self: 1.0, slope=lambda self: 0.0),
    Mistake("whole gradient at a tie", "maximum", "where(self > other, grad, where(self == other, 0.5 * grad, 0))",
            "where(self >= other, grad, 0)", "self",
            formula=lambda self, other: 1.0, slope=lambda self, other: 0.5),
    Mistake("no gradient at a tie", "maximum", "where(self < other, grad, where(self == other, 0.5 * grad, 0))",
            "where(self < other, grad, 0)", "other",
            formula=lambda self, other: 0.0, slope=lambda self, other: 0.5),
    Mistake("or for and", "limited", "&", "|", "self",
            formula=lambda self, min, max: 1.0, slope=lambda self, min, max: 0.0),
    Mistake("exponent off by one", "power", "exponent - 1", "exponent - 2", "self",
            formula=lambda self, exponent: exponent * self ** (exponent - 2),
            slope=lambda self, exponent: exponent * self ** (exponent - 1)),
    Mistake("mistyped constant", "erf", "1.1283791", "1.1283719", "self",
            formula=lambda self: 1.1283719670955126 * math.exp(-self * self),
            slope=lambda self: 1.1283791670955126 * math.exp(-self * self)),
    Mistake("wrong side of a mask", "chosen", "where(condition, grad, 0)", "where(condition, 0, grad)", "self"),
    Mistake("squared output gradient", "cube", "3 * grad * (self", "3 * grad * grad * (self", "self"),
    Mistake("wrong dimension", "sum", "restore_reduced_dims(grad, self.shape, dim, keepdim)", "grad.expand(self.shape)",
            "self"),
    Mistake("missing count", "mean", "(grad / self.numel())", "grad", "self"),
    Mistake("sum in the wrong direction", "cumsum", REVERSED, "grad.cumsum(dim)", "self"),
    Mistake("backward along another dimension", "softmax", "softmax_backward(grad, result, dim)",
            "softmax_backward(grad, result, 0)", "self"),
    Mistake("softmax's input for its output", "softmax", "softmax_backward(grad, result, dim)",
            "softmax_backward(grad, self, dim)", "self"),
    Mistake("gradient to all elements", "largest", "zeros_of(grad, self.shape)",
            "restore_reduced_dims(grad, self.shape, dim, keepdim).expand(self.shape)", "self"),
    Mistake("missing conjugate of a matrix", "mm", "grad.mm(adjoint(mat2))", "grad.mm(mat2.t())", "self"),
    Mistake("missing transpose", "mm", "adjoint(self).mm(grad)", "self.conj().mm(grad)", "mat2"),
    Mistake("missing reduction of a broadcast bias", "convolution", "sum_all_but(grad, 1)", "grad", "bias"),
    Mistake("shape error in a gradient", "convolution", "bias: sum_all_but(grad, 1)",
            "bias: sum_all_but(grad, 1).expand([7])", "bias", says="ShapeError"),
    Mistake("rows for columns", "select", "zeros_of(grad, self.shape), dim, index",
            "zeros_of(grad, self.shape), 0, index",
            "self"),
    Mistake("pieces of another dimension", "joined", "sizes(tensors), dim)", "sizes(tensors), 0)", "tensors", says=""),
    Mistake("second order: detached", "cube", "(self * self)", "(self * self).detach()", "self", says=SECOND),
    Mistake("second order: one factor detached", "product", "grad * self.conj()", "grad * self.detach().conj()",
            "other",
            says=SECOND),
    Mistake("second order: detached matrix", "mm", "grad.mm(adjoint(mat2))", "grad.mm(adjoint(mat2.detach()))", "self",
            says=SECOND),
    Mistake("second order: detached output", "softmax", "softmax_backward(grad, result, dim)",
            "softmax_backward(grad, result.detach(), dim)", "self", says=SECOND),
    Mistake("forward: sign", "product", "other_p + self_p", "other_p - self_p", "result", says=FORWARD),
    Mistake("forward: missing term", "mm", "self_t.mm(mat2_p) + self_p.mm(mat2_t)", "self_t.mm(mat2_p)", "result",
            says=FORWARD),
    Mistake("forward: missing factor", "cube", "3 * self_p * self_p", "self_p * self_p", "result", says=FORWARD),
    Mistake("forward: not summed", "cumsum", "self_t.cumsum(dim)", "self_t + 0", "result", says=FORWARD),
    Mistake("forward: detached tangent", "softmax", "softmax_backward(self_t, result, dim)",
            "softmax_backward(self_t.detach(), result, dim)", "result", says="forward mode differentiated"),
    Mistake("kernel: sum in the wrong direction", "running", "cumsum_backward(grad, dim)", "cumsum(grad, dim)",
            "backward", says=KERNEL),
    Mistake("kernel: shape error", "running", "cumsum_backward(grad, dim)", "sum_dim(grad, (dim,), False)",
            "backward", says="has shape (3,)"),
    Mistake("kernel: exchanged matrices", "matrices", "grad, self, mat2)", "grad, mat2, self)", "backward",
            says="leaves out the gradient of mat2"),
    Mistake("a kernel beside a wrong formula", "running", REVERSED, "grad.cumsum(dim)", "self"),
    Mistake("batch: the dimension of the examples", "sum", "batch: reduction", "batch: leading", "batch", says=LOOP),
    Mistake("batch: along the examples", "cumsum", "batch: along", "batch: leading", "batch", says=LOOP),
    Mistake("batch: a matrix of matrices", "mm", "batch: product", "batch: leading", "batch", says="ShapeError"),
    Mistake("batch: indices as if shared", "select", "batch: select_rows", "batch: along", "batch", says="Error: "),
]  # fmt: skip


def entry_source(name: str, entry: str) -> str:
    """An entry under another name."""
    return f"- name: {name}{dedent(ENTRIES[entry])}"


def wrong_text(name: str, mistake: Mistake) -> str:
    """The entry with its mistake."""
    right = entry_source(name, mistake.entry)
    assert right.count(mistake.right) == 1, f"{mistake}: {mistake.right!r} must stand once in {mistake.entry}"
    return right.replace(mistake.right, mistake.wrong)
