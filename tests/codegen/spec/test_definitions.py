"""`where:`: what its names mean, where they are computed, and what is wrong with them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.emit.forward_mode import forward_lines
from specgrad.codegen.emit.locally_constant import Recorded
from specgrad.codegen.emit.op import OpCode
from specgrad.codegen.emit.saved_tensors import Calls, Shared, make_plan, rewrite
from specgrad.codegen.library.op_library import RUNTIME_RULE_FILES, Library, OpLibrary
from specgrad.codegen.mutate.mutants import Related, mutants
from specgrad.codegen.spec.definitions import MAX_PARTS, certain, used
from specgrad.codegen.spec.model import Entry, Spec
from tests.codegen.conftest import KNOWN

GATED = """\
- name: gated(Tensor self, Tensor other) -> Tensor
  kernel: mm
  where:
    share: exp(other)
    slope: share * self
    moved: self_t * share
  self: grad * share
  other: grad * slope
  result: moved + other_t * slope
  samples: ["self=T(3), other=T(3)"]
"""
CHOSEN = """\
- name: chosen(Tensor self, bool twice=False) -> Tensor
  kernel: mm
  where:
    first: exp(grad)
    second: first * self
    common: self * grad
  self: second + common if twice else common
  result: auto_linear
  samples: ["self=T(3)"]
"""


@pytest.fixture
def problems(load: Callable[[str], tuple[Spec, list[str]]]) -> Callable[[str], list[str]]:
    """What is wrong with the text of a spec, in form or in sense."""

    def found(text: str) -> list[str]:
        spec, wrong = load(text)
        return wrong or [str(problem) for problem in validate(spec, KNOWN)]

    return found


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    """Calls without helpers."""
    return Calls(
        Library((OpLibrary(tmp_path, "runtime", True, RUNTIME_RULE_FILES),)), {}, {}, frozenset(), Recorded(())
    )


def meanings(entry: Entry) -> dict[str, str]:
    formulas = {**entry.gradients, **entry.forward}
    return {name: ast.unparse(f.tree) for name, f in formulas.items() if f.tree is not None}


def test_a_formula_means_what_its_definitions_mean(entry: Callable[[str], Entry]) -> None:
    """Definitions stand for their names, in forward formulas with x_p for x."""
    assert meanings(entry(GATED)) == {
        "self": "grad * exp(other)",
        "other": "grad * (exp(other) * self)",
        "result": "self_t * exp(other_p) + other_t * (exp(other_p) * self_p)",
    }


def test_definitions_are_computed_once(entry: Callable[[str], Entry], calls: Calls) -> None:
    """Each is a local variable, saved for, and computed for, the gradients that use it."""
    plan = make_plan(entry(GATED), calls)
    assert plan.shared == (
        Shared("share", "op.exp(other)", ("self", "other")),
        Shared("slope", "share * self", ("other",)),
    )
    assert plan.formulas == {"self": "grad * share", "other": "grad * slope"}
    assert {tensor.name: tensor.needed_by for tensor in plan.tensors} == {
        "other": ("self", "other"),
        "self": ("other",),
    }
    assert forward_lines(entry(GATED), calls) == [
        "self_t = zeros_if_missing(self_t, self)",
        "other_t = zeros_if_missing(other_t, other)",
        "share = op.exp(other)",
        "slope = share * self",
        "moved = self_t * share",
        "tangent0 = moved + other_t * slope",
        "return (tangent0,)",
    ]


def test_definitions_are_read_as_directly_as_arguments(calls: Calls) -> None:
    """A shape is the plain tuple: the property would make a Size of it, and of each of its slices."""
    tree = ast.parse("slope.shape[1:] + self.shape", mode="eval").body
    assert rewrite(tree, calls) == "slope._shape[1:] + self._shape"


def test_what_only_a_branch_uses_stays_in_it(entry: Callable[[str], Entry], calls: Calls) -> None:
    """What both branches use is computed before the choice, the rest where it is needed."""
    plan = make_plan(entry(CHOSEN), calls)
    assert plan.shared == (Shared("common", "self * grad", ("self",)),)
    assert plan.formulas == {"self": "op.exp(grad) * self + common if twice else common"}


@pytest.mark.parametrize(
    ("source", "sure", "maybe"),
    [
        ("a + b(a)", {"a"}, {"a"}),
        ("a if b else c", {"b"}, {"a", "b", "c"}),
        ("a if b else a + c", {"a", "b"}, {"a", "b", "c"}),
        ("a and b", {"a"}, {"a", "b"}),
        ("f(x, a, keep=b).a.size(c)", {"a", "b", "c"}, {"a", "b", "c"}),
    ],
)
def test_what_is_certain(source: str, sure: set[str], maybe: set[str]) -> None:
    """Names that are evaluated on every way through an expression; a function's name is no value."""
    tree = ast.parse(source, mode="eval").body
    assert certain(tree, {name: {name} for name in "abc"}) == sure
    assert used(tree, "abc") == maybe


EXPRESSION = "    share: exp(other)\n"
WRONG = [
    (EXPRESSION, "    self: exp(other)\n", "4:5", "where", "'self' is an argument already"),
    (EXPRESSION, "    result: exp(other)\n", "4:5", "where", "'result' is an output already"),
    (EXPRESSION, "    share: exp(other)\n    share: exp(self)\n", "5:5", "where", "'share' is defined twice"),
    (EXPRESSION, "    grad: exp(other)\n", "4:11", "grad", "the generated code uses 'grad' for something else"),
    (EXPRESSION, "    share_t: exp(other)\n", "4:5", "where", "x_p and x_t are words of forward formulas"),
    (EXPRESSION, "    class: exp(other)\n", "4:5", "where", "expected a name of letters"),
    (EXPRESSION, "    share: [exp, other]\n", "4:12", "share", "an expression is wanted here"),
    (EXPRESSION, "    share: exp(other\n", "4:15", "share", "bracket '(' is never closed"),
    (EXPRESSION, "    share: exp(slope)\n", "4:16", "self", "unknown name 'slope'"),
    (EXPRESSION, EXPRESSION + "    more: exp(self)\n", "5:11", "more", "nothing uses this definition"),
    (EXPRESSION, "    share: exp(other) + grad\n", "4:25", "result", "unknown name 'grad'"),
    ("  where:\n", "  where: nothing\n  what:\n", "3:10", "where", "expected names with expressions"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "location", "key", "message"), WRONG)
def test_wrong_definitions(
    problems: Callable[[str], list[str]], before: str, after: str, location: str, key: str, message: str
) -> None:
    """What is wrong is said at its place."""
    assert before in GATED
    found = problems(GATED.replace(before, after))
    assert any(f"spec.yaml:{location}: gated, {key}: {message}" in problem for problem in found), found


def test_definitions_do_not_grow_without_bound(problems: Callable[[str], list[str]]) -> None:
    """Thirty lines that double one another stand for a billion parts: refused, at once."""
    lines = ["    d0: exp(self)\n", *(f"    d{k}: d{k - 1} * d{k - 1}\n" for k in range(1, 30))]
    found = problems(
        GATED.replace(EXPRESSION, EXPRESSION + "".join(lines)).replace("grad * share", "grad * share * d29")
    )
    assert any(f"expected at most {MAX_PARTS:,} parts" in problem for problem in found), found


def test_a_change_of_a_definition_changes_all_that_use_it(entry: Callable[[str], Entry], tmp_path: Path) -> None:
    """A mutant of `share` differs in both gradients and in the tangent."""
    gated = entry(GATED)
    changed = [mutant for mutant in mutants(gated, Related([gated])) if mutant.key == "share"]
    assert changed
    for mutant in changed:
        ours, theirs = meanings(gated), meanings(mutant.entry)
        assert all(ours[name] != theirs[name] for name in ("self", "other", "result")), mutant


SPLIT = """\
- name: split(Tensor self, bool whole=False) -> (Tensor low, Tensor high)
  where:
    middle: exp(self)
    half: exp(middle)
  composite: (self, middle) if whole else (half, half * half)
  samples: ["self=T(3)"]
"""


def test_a_branch_of_a_composite_has_its_own_definitions(entry: Callable[[str], Entry], calls: Calls) -> None:
    """They are computed once, where the branch is taken; outputs written as a tuple get the names of the schema."""
    op = OpCode(entry(SPLIT), None, None, replace(calls, functions={"split": "split"}), calls.library)
    assert op.names_outputs
    assert op.composite.lines == [
        "middle = op.exp(self)",
        "if whole:",
        "    return _split_result(self, middle)",
        "half = op.exp(middle)",
        "return _split_result(half, half * half)",
    ]
