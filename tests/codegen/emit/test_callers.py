"""Which ops an op that only formulas call is a part of: read off expressions, shown on its page and by `explain`."""

from __future__ import annotations

from specgrad.codegen.emit.calls import callers, part_of
from specgrad.codegen.emit.render import Renderer, Target
from specgrad.codegen.pages.explain import explanation
from specgrad.codegen.spec.model import Spec


def test_calls_are_found_in_every_expression_over_tensors(spec: Spec) -> None:
    """As functions and as methods, in formulas of both modes, in definitions and in composites; an own call is none."""
    known = callers(spec.entries)
    assert ("border_pad", "gradient of self") in known["border_pad_backward"]
    assert ("cumprod", "tangent of result") in known["linear_recurrence"]
    assert ("cdist", "composite") in known["euclidean_distances"]
    assert ("linalg_det", "gradient of A") in known["cofactors"]
    assert all("linear_recurrence" not in name for name, _ in known["linear_recurrence"])


def test_public_ops_are_a_part_of_none(spec: Spec) -> None:
    entries = spec.by_name()
    known = callers(list(entries.values()))
    assert part_of(entries["sum"], known) == ""
    assert part_of(entries["border_pad_backward"], known) == "`border_pad` (gradient of self)"


def test_explain_says_it(spec: Spec) -> None:
    shown = explanation(Renderer(spec, Target()), "col2im")
    assert "  part of    `im2col` (gradient of self)" in shown.splitlines()
