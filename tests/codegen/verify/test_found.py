"""`verify` finds the points itself: mistakes in entries that list no sample at which they would show."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from textwrap import dedent

import pytest

from specgrad.codegen.__main__ import main

ENTRIES = {
    "cardinal": """\
        (Tensor self) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: "1 if self == 0 else divide(sin(self), self)"
          self: >-
            grad * where(abs(self) < 0.1,
            -self / 3 * (1 - self * self / 10 * (1 - self * self / 28 * (1 - self * self / 54))),
            (cos(self) - result) / where(self == 0, 1, self))
          result: auto_element_wise
        """,
    "threshold_log": """\
        (Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
          dtype: same
          dtypes: [float]
          elementwise: self if self * beta > threshold else log1p(exp(self * beta)) / beta
          self: where(self * beta > threshold, grad, grad * sigmoid(self * beta))
          result: auto_element_wise
          kink: left
          samples: ["self=T(3, 4)"]
        """,
    "shrunk": """\
        (Tensor self, Scalar lambd=0.5) -> Tensor
          dtypes: [float]
          elementwise: 0 if (self >= -lambd) & (self <= lambd) else self
          self: where((self >= -lambd) & (self <= lambd), 0, grad)
          result: auto_element_wise
          samples: ["self=T(3, 4)"]
        """,
    "exponential_unit": """\
        (Tensor self, Scalar alpha=1) -> Tensor
          dtype: same
          dtypes: [float]
          elementwise: self if self > 0 else alpha * expm1(self)
          self: where(self > 0, grad, grad * alpha * exp(clamp_max(self, 0)))
          result: auto_element_wise
          kink: left
          samples: ["self=T(3, 4)"]
        """,
    "angle_of": """\
        (Tensor self, Tensor other) -> Tensor
          dtype: float
          flags: [precise]
          dtypes: [float]
          elementwise: atan2(self, other)
          self: >-
            grad * (other / where((self == 0) & (other == 0), 1, hypot(self, other)))
            / where((self == 0) & (other == 0), 1, hypot(self, other))
          other: >-
            -grad * (self / where((self == 0) & (other == 0), 1, hypot(self, other)))
            / where((self == 0) & (other == 0), 1, hypot(self, other))
          result: auto_element_wise
        """,
    "larger_number": """\
        (Tensor self, Tensor other) -> Tensor
          dtypes: [float]
          elementwise: fmax(self, other)
          self: where((self >= other) | isnan(other), grad, 0)
          other: where((self >= other) | isnan(other), 0, grad)
          result: auto_element_wise
          kink: [larger, smaller]
        """,
    "larger": """\
        (Tensor self, Tensor other) -> Tensor
          dtypes: [float]
          elementwise: maximum(self, other)
          self: where(self == other, 0.5 * grad, where(self < other, 0, grad))
          other: where(self == other, 0.5 * grad, where(self > other, 0, grad))
          result: auto_element_wise
        """,
    "log_times": """\
        (Tensor self, Tensor other) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: "(other if isnan(other) else 0) if self == 0 else self * log(other)"
          self: where((self == 0) & (other <= 0), 0, unfused(xlogy(grad, other)))
          other: grad * self / where((self == 0) & (other == 0), 1, other)
          result: auto_element_wise
          domain: {self: [-2, 2], other: [0.2, 3]}
        """,
    "inverse_cosh": """\
        (Tensor self) -> Tensor
          dtype: float
          dtypes: [float]
          elementwise: acosh(self)
          self: grad * rsqrt(self - 1) * rsqrt(self + 1)
          result: auto_element_wise
          domain: [1.2, 4]
        """,
    "length": """\
        (Tensor self, Tensor other) -> Tensor
          flags: [precise]
          dtypes: [float]
          elementwise: hypot(self, other)
          self: grad * direction(self, other)
          other: grad * direction(other, self)
          result: auto_element_wise
        """,
    "growth": """\
        (Tensor self) -> Tensor
          dtype: float
          dtypes: [int, float]
          elementwise: expm1(self)
          self: grad * (result + 1)
          result: auto_element_wise
        """,
    "restride": """\
        (Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)
          check: as_strided
          errors: ["self=T(3, 4), size=[2, 3], stride=[4]"]
          view: as_strided
          dispatch: {batch: restrided}
          self: >-
            as_strided_backward(grad, self.shape, self.stride(), self.storage_offset(), size, stride, storage_offset)
          result: as_strided_forward(self_t, self_p.stride(), self_p.storage_offset(), size, stride, storage_offset)
          samples: ["self=T(3, 4), size=[2, 3], stride=[4, 1], storage_offset=1"]
        """,
    "windows": """\
        (Tensor(a) self, int dimension, int size, int step) -> Tensor(a)
          check: unfold
          errors: ["self=T(2, 5), dimension=2, size=2, step=3"]
          view: unfold
          dispatch: {batch: windows}
          self: unfold_backward(grad, self.shape, dimension, size, step)
          result: auto_linear
          samples: ["self=T(2, 5), dimension=-1, size=2, step=3"]
        """,
    "total": """\
        (Tensor self, int[1]? dim, bool keepdim=False) -> Tensor
          dtypes: [float]
          check: reduced_dims
          errors: ["self=T(3, 3), dim=2"]
          kernel: sum_dim
          dispatch: {batch: reduction}
          self: restore_reduced_dims(grad, self.shape, dim, keepdim)
          result: auto_linear
          samples: ["self=T(3, 3), dim=1"]
        """,
    "squared_loss": """\
        (Tensor grad_output, Tensor self, Tensor target, float scale, int[] dim) -> Tensor
          dtype: match
          dtypes: [float]
          rows: "result = 2 * scale * grad_output_row * (self - target)"
          dispatch: {batch: none}
          errors: ["grad_output=T(3), self=T(4, 4), target=T(3, 4), scale=1.0, dim=[1]"]
          grad_output: 2 * scale * (grad * (self - target)).sum(dim)
          self: 2 * scale * grad * restore_reduced_dims(grad_output, self.shape, dim, False)
          target: -2 * scale * grad * restore_reduced_dims(grad_output, self.shape, dim, False)
          result: not_implemented("forward mode is none of what is tried here")
          samples: ["grad_output=T(3), self=T(3, 4), target=T(3, 4), scale=0.5, dim=[1]"]
        """,
    "reformed": """\
        (Tensor(a) self, int[] size) -> Tensor(a)
          check: view
          errors: ["self=T(3, 4), size=[5]"]
          view: view
          self: grad.reshape(self.shape)
          result: auto_linear
          samples: ["self=T(3, 4), size=[4, 3]"]
        """,
    "looked_up": """\
        (Tensor self, Tensor mat2) -> Tensor
          dtypes: [float]
          try: mm
          composite: mm(self, mat2)
          reference: self @ mat2
          dispatch: {autocast: lower}
          samples: ["self=T(2, 3), mat2=T(3, 4)"]
        """,
    "centre": """\
        (Tensor self) -> Tensor
          dtypes: [int, float]
          composite: in_floats(self).mean()
          samples: ["self=T(3, 4)"]
        """,
    "at_most": """\
        (Tensor self, Tensor other) -> Tensor
          dtype: promote
          dtypes: [int, float]
          elementwise: self <= other
          result_dtype: bool
          output_differentiability: [False]
        """,
    "sided": """\
        (Tensor self) -> Tensor
          dtypes: [float]
          elementwise: self if self < 1 else -self
        """,
}


@dataclass(frozen=True)
class Mistake:
    """`right` is written as `wrong` in an entry: a line at `key` must say `says`."""

    name: str
    entry: str
    right: str
    wrong: str
    key: str
    says: str

    def __str__(self) -> str:
        return self.name


DERIVATIVE = "the function's derivative is"
NORM = "/ where((self == 0) & (other == 0), 1, hypot(self, other))\n  other"
MISTAKES = [
    Mistake(
        "a quotient without its value at 0",
        "cardinal",
        '"1 if self == 0 else divide(sin(self), self)"',
        "divide(sin(self), self)",
        "elementwise",
        "at (self=0) the result is nan, between values that agree",
    ),
    Mistake(
        "a threshold at its default",
        "threshold_log",
        "where(self * beta > threshold, grad",
        "where(self * beta > 20, grad",
        "self",
        "derivative is",
    ),
    Mistake(
        "a second bound at its default",
        "shrunk",
        "self: where((self >= -lambd) & (self <= lambd), 0",
        "self: where((self >= -lambd) & (self <= 0.5), 0",
        "self",
        "derivative is",
    ),
    Mistake(
        "a tie that only alpha = 1 does not show",
        "exponential_unit",
        "where(self > 0, grad",
        "where(self >= 0, grad",
        "self",
        "derivative is",
    ),
    Mistake(
        "squares that vanish",
        "angle_of",
        NORM,
        "/ where((self == 0) & (other == 0), 1, sqrt(self * self + other * other))\n  other",
        "self",
        "in float32",
    ),
    Mistake(
        "axes that are taken for the origin",
        "angle_of",
        "(other / where((self == 0) & (other",
        "(other / where((self == 0) | (other",
        "self",
        "derivative is",
    ),
    Mistake(
        "a comparison that nan fails",
        "larger_number",
        "self: where((self >= other) | isnan(other), grad, 0)",
        "self: where(self >= other, grad, 0)",
        "self",
        DERIVATIVE,
    ),
    Mistake(
        "no gradient where an operand is nan",
        "larger",
        "self: where(self == other, 0.5 * grad, where(self < other, 0, grad))",
        "self: where(self == other, 0.5 * grad, where(self > other, grad, 0))",
        "self",
        "with both exchanged",
    ),
    Mistake(
        "nan where a factor is 0",
        "log_times",
        "self: where((self == 0) & (other <= 0), 0, unfused(xlogy(grad, other)))",
        "self: unfused(xlogy(grad, other))",
        "self",
        "gives nan, where the function is 0",
    ),
    Mistake(
        "a slope left of the branch cut",
        "inverse_cosh",
        "rsqrt(self - 1) * rsqrt(self + 1)",
        "rsqrt(self * self - 1)",
        "self",
        "where the function and its derivative are nan",
    ),
    Mistake(
        "squares that overflow",
        "length",
        "elementwise: hypot(self, other)",
        "elementwise: sqrt(self * self + other * other)",
        "elementwise",
        "in float32",
    ),
    Mistake("integers that stay integers", "growth", "dtype: float", "dtype: same", "dtype", "result in int64"),
    Mistake(
        "a place counted from the memory's beginning",
        "restride",
        "self.storage_offset(), size",
        "0, size",
        "self",
        "of a part of larger memory",
    ),
    Mistake("another dimension", "windows", "self.shape, dimension,", "self.shape, -1,", "self", "dimension=0"),
    Mistake(
        "dimensions that were kept",
        "total",
        "restore_reduced_dims(grad, self.shape, dim, keepdim)",
        "restore_reduced_dims(-grad if keepdim else grad, self.shape, dim, keepdim)",
        "self",
        "keepdim=True",
    ),
    Mistake(
        "a mean of nothing",
        "squared_loss",
        "2 * scale * (grad * (self - target)).sum(dim)",
        "2 * scale * (grad * (self - target)).mean(dim) * self.shape[dim[0]]",
        "grad_output",
        "the formula gives nan",
    ),
    Mistake(
        "a view of a gradient that may have gaps",
        "reformed",
        "grad.reshape(",
        "grad.view(",
        "self",
        "ShapeError",
    ),
    Mistake(
        "a tangent that is infinite",
        "total",
        "result: auto_linear",
        "result: self_t.sum(dim, keepdim) / 0",
        "result",
        "by forward mode but",
    ),
    Mistake(
        "a conversion that integers need",
        "centre",
        "in_floats(self)",
        "self",
        "dtypes",
        "is refused for int32, which dtypes has",
    ),
    Mistake(
        "fractions cut to integers before they are compared",
        "at_most",
        "dtype: promote",
        "dtype: same",
        "dtype",
        "in int32 float32 gives bool",
    ),
    Mistake(
        "a condition that never holds",
        "sided",
        "elementwise: self if self < 1 else -self",
        "elementwise: self if self * self < -1 else -self",
        "elementwise",
        "no sample reaches the side where",
    ),
]


def name_of(mistake: Mistake) -> str:
    return f"wrong{MISTAKES.index(mistake)}"


def source_of(name: str, entry: str) -> str:
    return f"- name: {name}{dedent(ENTRIES[entry])}"


def wrong_text(mistake: Mistake) -> str:
    right = source_of(name_of(mistake), mistake.entry)
    assert right.count(mistake.right) == 1, f"{mistake}: {mistake.right!r} must stand once in {mistake.entry}"
    return right.replace(mistake.right, mistake.wrong)


@dataclass(frozen=True)
class Outcome:
    """A spec, and the lines that checking it gave."""

    spec: list[str]
    lines: list[str]

    def about(self, op: str) -> list[str]:
        return [line for line in self.lines if f" {op}, " in line or f" {op}: " in line]

    def location(self, op: str, key: str) -> str:
        """The line where a key's value begins in an entry."""
        begin = next(i for i, line in enumerate(self.spec) if line.startswith(f"- name: {op}("))
        starts = (f"  {key}:", f"  dispatch: {{{key}:")
        number = next(i for i, line in enumerate(self.spec) if i > begin and line.startswith(starts))
        return f"ops.yaml:{number + 1 + self.spec[number].endswith('>-')}:"


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """One run over all entries, right and wrong."""
    folder = tmp_path_factory.mktemp("found")
    path = folder / "ops.yaml"
    sources = [*(source_of(f"right_{name}", name) for name in ENTRIES), *map(wrong_text, MISTAKES)]
    path.write_text("\n".join(sources), encoding="utf-8")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        main([str(path), "--out", str(folder / "ops")])
    return Outcome(path.read_text(encoding="utf-8").splitlines(), shown.getvalue().splitlines())


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_found_without_a_sample_for_it(outcome: Outcome, mistake: Mistake) -> None:
    """A line at the wrong key says what is wrong, with the call."""
    lines = outcome.about(name_of(mistake))
    location = outcome.location(name_of(mistake), mistake.key)
    assert any(mistake.says in line for line in lines if location in line), "\n".join(lines or outcome.lines[-3:])


@pytest.mark.parametrize("name", ENTRIES)
def test_nothing_is_said_of_a_right_entry(outcome: Outcome, name: str) -> None:
    """Points that are made up are right ones."""
    assert outcome.about(f"right_{name}") == []
