"""One formula for all gradients or tangents, and calls that several formulas share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.emit.forward_mode import forward_lines
from specgrad.codegen.emit.locally_constant import Recorded
from specgrad.codegen.emit.saved_tensors import Calls, Shared, make_plan, share
from specgrad.codegen.library.op_library import RUNTIME_RULE_FILES, Library, OpLibrary
from specgrad.codegen.spec.model import Entry

PAIR = """\
- name: pair(Tensor self, Tensor other, Tensor index, int dim) -> (Tensor one, Tensor two, Tensor rest)
  kernel: mm
  output_differentiability: [true, true, false]
  index: non_differentiable
  gradients: spread(grads, self, dim)
  tangents: spread(self_t, other_t, dim)
  backward: sum_dim(output_mask, grads, rest)
  samples: ["self=T(3), other=T(3), index=I(3), dim=0"]
"""
FILES = {"ops/x/formulas.py": "def spread(*args): ...", "ops/reduction/cpu.py": "def sum_dim(*args): ..."}


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    """Calls where a helper and a kernel are defined."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    library = Library((OpLibrary(tmp_path, "runtime", True, RUNTIME_RULE_FILES),))
    return Calls(library, {"pair": "pair"}, {"pair": 0}, frozenset(), Recorded(()))


def test_a_tuple_is_taken_apart(entry: Callable[[str], Entry]) -> None:
    """Tensors and differentiable outputs without a key of their own get an item each, in their order."""
    pair = entry(PAIR)
    assert {name: f.text for name, f in pair.gradients.items()} == {
        "index": "non_differentiable",
        "self": "spread(...)[0]",
        "other": "spread(...)[1]",
    }
    assert {name: f.text for name, f in pair.forward.items()} == {"one": "spread(...)[0]", "two": "spread(...)[1]"}
    own = entry(PAIR.replace("  gradients:", "  self: grads[0] * other\n  gradients:"))
    assert (own.gradients["self"].text, own.gradients["other"].text) == ("grads[0] * other", "spread(...)[0]")


def test_the_call_is_made_once(entry: Callable[[str], Entry], calls: Calls) -> None:
    """Backward and forward mode evaluate a shared call once, and take its items."""
    plan = make_plan(entry(PAIR), calls)
    assert plan.shared == (Shared("shared_0", "x_formulas.spread(grads, self, dim)", ("self", "other")),)
    assert plan.formulas == {"self": "shared_0[0]", "other": "shared_0[1]"}
    assert forward_lines(entry(PAIR), calls) == [
        "self_t = zeros_if_missing(self_t, self)",
        "other_t = zeros_if_missing(other_t, other)",
        "shared_0 = x_formulas.spread(self_t, other_t, dim)",
        "tangent0 = shared_0[0]",
        "tangent1 = shared_0[1]",
        "return (tangent0, tangent1, None,)",
    ]


def test_what_only_the_kernel_reads_is_kept(entry: Callable[[str], Entry], calls: Calls) -> None:
    """An output that no formula reads is kept for the kernel of `backward`, whatever gradient is wanted."""
    retained = {t.name: t.needed_by for t in make_plan(entry(PAIR), calls).tensors}
    assert retained == {"self": ("self", "other"), "rest": ("self", "other")}


def test_calls_that_differ_are_not_shared() -> None:
    """Only equal calls are one, and only where several formulas take an item."""
    formulas = {"a": "f(x)[0]", "b": "f(y)[1]", "c": "f(x) + f(x)[1]", "d": "g(x)"}
    assert share(formulas) == (formulas, ())
    rewritten, shared = share({**formulas, "e": "f(y)[0].sum()", "f": "f(y)[0]"})
    assert rewritten == {**formulas, "b": "shared_0[1]", "e": "f(y)[0].sum()", "f": "shared_0[0]"}
    assert shared == (Shared("shared_0", "f(y)", ("b", "f")),)


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("spread(grads, self, dim)", "spread(self, dim)", "5:14: pair, self: the formula never uses grads"),
        ("spread(grads,", "spread(grad,", "5:21: pair, other: unknown name 'grad' (did you mean 'grads'?)"),
        ("spread(self_t,", "spread(slef_t,", "6:20: pair, two: unknown name 'slef_t' (did you mean 'self_t'?)"),
    ],
)
def test_a_mistake_has_its_place(check: Callable[..., list[str]], right: str, wrong: str, problem: str) -> None:
    """A mistake in the one formula is one of every argument that it stands for."""
    assert f"spec.yaml:{problem}" in check(PAIR.replace(right, wrong))
