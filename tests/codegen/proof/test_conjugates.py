"""Proofs in complex numbers: where a conjugate has to stand, and which ops they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.proof.conjugates import fault
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Spec
from tests.repository import ROOT

SPEC = ROOT / "derivatives.yaml"
OP = "- name: my_op(Tensor self, Scalar n=2) -> Tensor\n  dtypes: [{}]\n  elementwise: {}\n  self: '{}'\n"


@pytest.mark.parametrize(
    ("expression", "formula", "why"),
    [
        ("sin(self)", "grad * cos(self).conj()", ""),
        ("sin(self)", "grad * cos(self.conj())", ""),
        ("exp(n * self)", "grad * (n * result).conj()", ""),
        ("sin(self)", "grad * cos(self)", "'self' stands without a conjugate"),
        ("sin(self)", "grad * cos(self).conj().conj()", "'self' stands without a conjugate"),
        ("sin(self)", "(grad * cos(self)).conj()", "'grad' stands under a conjugate"),
        ("exp(n * self)", "grad * n * result.conj()", "'n' stands without a conjugate"),
        ("self * self", "2 * grad * where(self == 0, 0, self.conj())", ""),
        ("abs(self)", "grad * self.sgn()", "the op is not analytic"),
        ("self * self", "2 * grad * (self + 0j).conj()", "a string, or a complex number in what may be a kernel"),
    ],
)
def test_conjugates(spec: Spec, tmp_path: Path, expression: str, formula: str, why: str) -> None:
    """Arguments and results stand under an odd number of them, the incoming gradient under an even one."""
    (tmp_path / "spec.yaml").write_text(OP.format("float, complex", expression, formula), encoding="utf-8")
    (op,) = load_spec(tmp_path / "spec.yaml")[0].entries
    found = fault(spec.by_name(), op, op.gradients["self"])
    assert found is not None
    assert found.startswith(why) if why else found == ""


def test_real_ops_have_none(spec: Spec, tmp_path: Path) -> None:
    """Nothing is asked of an op that takes no complex numbers."""
    (tmp_path / "spec.yaml").write_text(OP.format("float", "sin(self)", "grad * cos(self)"), encoding="utf-8")
    (op,) = load_spec(tmp_path / "spec.yaml")[0].entries
    assert fault(spec.by_name(), op, op.gradients["self"]) is None


def test_the_analytic_ops_of_the_spec(spec: Spec) -> None:
    """The proof holds in complex numbers for all of them; the others are these."""
    others = set()
    for op in spec.entries:
        formulas = [f for f in op.gradients.values() if f.tree is not None and op.compute.kind == "elementwise"]
        if any(fault(spec.by_name(), op, formula) for formula in formulas):
            others.add(op.name)
    assert others == {
        "abs",
        "angle",
        "conj_physical",
        "fill_.Tensor",
        "imag_copy",
        "noise_scale",
        "real_copy",
        "sgn",
    } | {"softsign"}
