"""`mutate` changes one thing at a time, everywhere, and tells mutants that are found from those that are not."""

from __future__ import annotations

import ast
import itertools
import json
import re
from pathlib import Path
from shutil import copytree

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.emit.render import OUTSIDE, Renderer
from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.mutate.command import sample_evenly
from specgrad.codegen.mutate.equivalence import equivalent, same_call, tangent
from specgrad.codegen.mutate.expression_edits import Relations, changes
from specgrad.codegen.mutate.mutants import Related, mutants
from specgrad.codegen.proof.derive import completed, load_spec
from specgrad.codegen.spec.model import Formula
from specgrad.generated.registry import OPS

TREE, _ = load_spec(SPEC, SPEC.name)
ENTRIES = {entry.name: entry for entry in TREE.entries}
RELATED = Related(TREE.entries)


def changed(text: str, relations: Relations | None = None) -> set[str]:
    """What becomes of an expression."""
    tree = ast.parse(text, mode="eval").body
    return {ast.unparse(new) for _, _, new in changes(tree, relations or Relations())}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", {"-(a + b)", "a - b", "a", "b"}),
        ("a / b", {"-(a / b)", "a * b", "a", "b", "b / a"}),
        ("-a", {"--a", "a"}),
        ("a < b", {"not a < b", "a <= b", "a > b"}),
        ("a == b", {"not a == b", "a != b"}),
        ("2", {"-2", "3", "1", "0"}),
        ("0.5", {"-0.5", "0.5000005", "1.5", "0.0"}),
        ("a and b", {"not (a and b)", "a or b"}),
        ("a if c else b", {"-(a if c else b)", "b if c else a", "a", "b"}),
        ("f(a, b)", {"-f(a, b)", "f(b, a)", "f(a)"}),
        ("a.g()", {"-a.g()", "a"}),
        ("a.g(k=b)", {"-a.g(k=b)", "a.g()"}),
    ],
)
def test_operators(text: str, expected: set[str]) -> None:
    """Each kind of node has its changes, and no others."""
    assert changed(text) == expected


def test_names_are_exchanged_for_those_of_their_type() -> None:
    """A value for another in scope, a function for one like it; a gradient is used twice."""
    others = {"a": ["b"], "grad": ["a"]}
    relations = Relations(others, {"f": ["g"]}.__getitem__, tensors=["a"], gradients=["grad"])
    expected = {"-(grad * f(a))", "a * f(a)", "grad * grad * f(a)", "grad * f(b)", "grad * g(a)", "grad * a"}
    assert expected <= changed("grad * f(a)", relations)


def test_a_change_is_made_in_one_place() -> None:
    """Of equal parts one is changed at a time, and the tree that is changed stays as it was."""
    tree = ast.parse("x * x", mode="eval").body
    found = {ast.unparse(new) for _, _, new in changes(tree, Relations({"x": ["y"]}))}
    assert {"y * x", "x * y"} <= found and "y * y" not in found
    assert ast.unparse(tree) == "x * x"


@pytest.mark.parametrize("name", ["tanh", "max.dim", "mul.Tensor", "softmax.int", "cumsum", "norm"])
def test_mutants_differ_from_their_entry_and_stand_in_it(name: str) -> None:
    """Each is another entry of the same schema, and its place lies in the lines of the entry."""
    entry = next(e for n, e in ENTRIES.items() if n.partition(".")[0] == name.partition(".")[0])
    found = mutants(entry, RELATED)
    assert len({(m.key, m.after) for m in found}) == len(found) > 3
    lines = [e.where.line for e in TREE.entries] + [10**9]
    after = lines[lines.index(entry.where.line) + 1]
    for mutant in found:
        assert mutant.before != mutant.after
        assert mutant.entry.schema == entry.schema
        by_section = entry.section is not None and entry.section.holds(mutant.where)
        assert by_section or entry.where.line <= mutant.where.line < after, mutant


def test_derived_formulas_are_not_changed() -> None:
    """A mutant of an entry that leaves its formulas out is completed with those of its own expression."""
    entry = ENTRIES["log"]
    assert entry.gradients["self"].derived
    found = mutants(entry, RELATED)
    assert not any(mutant.key == "self" for mutant in found)
    other = next(mutant.entry for mutant in found if mutant.key == "elementwise" and mutant.after == "-log(self)")
    assert not other.gradients
    assert completed(other).gradients["self"].text != entry.gradients["self"].text


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("mul.Tensor", {"auto_multilinear", "auto_element_wise"}),
        ("add.Tensor", {"auto_linear", "auto_element_wise"}),
        ("exp", {"auto_element_wise"}),
        ("neg", {"auto_linear", "auto_multilinear", "auto_element_wise"}),
    ],
)
def test_rules_of_forward_mode_that_are_the_same(name: str, rules: set[str]) -> None:
    """A product's tangent is no sum of one product; a sum's is no sum of sums; a function of one argument has many."""
    entry, inliner = ENTRIES[name], Renderer(TREE, OUTSIDE).inliner
    slot_values = ("auto_linear", "auto_multilinear", "auto_element_wise")
    trees = {word: tangent(entry, Formula(word, None, entry.where, word)) for word in slot_values}
    right = tangent(entry, entry.forward["result"])
    assert right is not None
    assert {word for word, tree in trees.items() if tree and equivalent(entry, right, tree, inliner)} == rules


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("cat(parts, 0)", "cat(parts)", True),
        ("cat(parts, 1)", "cat(parts)", False),
        ("constant_pad_nd(x, pad, value=0)", "constant_pad_nd(x, pad)", True),
        ("grad.transpose(0, 1) + 1", "grad.transpose(1, 0) + 1", True),
        ("maximum(a, b)", "maximum(b, a)", True),
        ("atan2(a, b)", "atan2(b, a)", False),
        ("a.narrow(0, 1, 2)", "a.narrow(1, 0, 2)", False),
        ("a.conj() if c else b", "a.conj_physical() if c else b", True),
        ("a.reshape(shape)", "a.view(shape)", False),
        ("convolution(x, w, b, 1, 0, 1, 1)", "conv2d(x, w, b, 1, 0, 1, 1)", True),
        ("a.sin()", "a.cos()", False),
        ("f(a)", "g(a)", False),
        ("a + b", "a - b", False),
    ],
)
def test_calls_that_give_the_same(before: str, after: str, same: bool) -> None:
    """What is left out is the default; arguments may change places, or another op is called: as that op has it."""
    trees = [ast.parse(text, mode="eval").body for text in (before, after)]
    assert bool(same_call(TREE.entries, {op.name: op for op in OPS}, *trees)) is same


def test_the_sample_is_spread_over_the_spec() -> None:
    """So many entries, from all parts; the same for the same seed."""
    some, others = sample_evenly(TREE.entries, 40, 0), sample_evenly(TREE.entries, 40, 1)
    assert (
        len(some) == len({entry.name for entry in some}) == 40 and some == sample_evenly(TREE.entries, 40, 0) != others
    )
    positions = [TREE.entries.index(entry) for entry in some]
    assert max(b - a for a, b in itertools.pairwise(positions)) <= -(-len(TREE.entries) // 40)
    assert sample_evenly(TREE.entries, 10**6, 0) == list(TREE.entries)


def test_the_seed_chooses() -> None:
    """The same seed the same mutants, at most as many as asked for, in the order of all."""
    entry = ENTRIES["tanh"]
    whole = [str(m) for m in mutants(entry, RELATED)]
    some, again, others = ([str(m) for m in mutants(entry, RELATED, seed, 9)] for seed in (1, 1, 2))
    assert some == again != others
    assert len(some) == 9
    assert [text for text in whole if text in some] == some


def test_flags_are_changed() -> None:
    """To their other value, whatever other flags the entry has."""
    chosen = [entry for entry in TREE.entries if entry.commutative or entry.operator][::5]
    for entry in chosen:
        flags = [mutant for mutant in mutants(entry, RELATED) if mutant.key in ("commutative", "replaces")]
        assert "commutative" in {mutant.key for mutant in flags}, entry.name
        assert all(getattr(mutant.entry, mutant.key) is not getattr(entry, mutant.key) for mutant in flags), flags


def test_mistakes_are_killed_and_survivors_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every wrong slope of an element-wise op is found; what survives is shown with its place, before and after."""
    out = tmp_path / "mutants.json"
    assert main(["mutate", "erf", "--json", str(out)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"erf: \d+ mutants, \d+ killed(, \d+ equivalent)?, \d+ survive", shown[0])
    assert re.match(r"1 op, \d+ mutants, \d+ equivalent, \d+ killed \([\d.]+% of those that differ\)", shown[-1])
    (record,) = json.loads(out.read_text(encoding="utf-8"))
    listed = [line for line in shown if line.startswith("  derivatives.yaml:")]
    assert len(record["survivors"]) == len(listed)
    assert all(" told apart by " in line for line in listed)
    assert any(re.fullmatch(r"  dtype: \d+ of \d+ killed, \d+ equivalent, 0 alike: 100.0%, .*", line) for line in shown)
    assert len(record["killed"]) + len(record["equivalent"]) + len(record["survivors"]) == record["mutants"]
    assert [m for m in record["survivors"] if m["key"] in ("self", "elementwise", "result")] == []


def test_only_what_another_spec_has_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--unlike` leaves the entries that have changed: here none, and of one none that is named."""
    other = tmp_path / "before.yaml"
    other.write_text(SPEC.read_text(encoding="utf-8"), encoding="utf-8")
    copytree(SPEC.resolve().parent / "tests" / "spec", tmp_path / "tests" / "spec")
    assert main(["mutate", "--unlike", str(other)]) == 0
    assert capsys.readouterr().out.startswith("0 ops, 0 mutants")


def test_a_package_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With kernels, checks, scalar functions and ops of the package: mistakes are killed, also by its examples."""
    package = tmp_path / "mutated_ops"
    package.mkdir()
    for name, text in OWN.items():
        (package / name).write_text(text, encoding="utf-8")
    spec = str(package / "mutated_ops.yaml")
    assert main([spec, "--no-verify"]) == 0, capsys.readouterr()
    out = tmp_path / "mutants.json"
    assert main(["mutate", "--spec", spec, "--json", str(out)]) == 0, capsys.readouterr()
    tripled, risen = json.loads(out.read_text(encoding="utf-8"))
    assert tripled["wrong"] == risen["wrong"] == ""
    assert min(len(tripled["killed"]), len(risen["killed"])) > 10
    survivors = {(m["key"], m["before"], m["after"]) for each in (tripled, risen) for m in each["survivors"]}
    assert not {key for key, *_ in survivors} & {"self", "elementwise", "result", "kernel"}, survivors
    assert main(["mutate", "tripledd", "--spec", spec]) == 1
    assert "no op named 'tripledd' (did you mean 'tripled'?)" in capsys.readouterr().err
    (package / "mutated_ops.yaml").write_text(OWN["mutated_ops.yaml"].replace("Three", "3"), encoding="utf-8")
    assert main(["mutate", "--spec", spec]) == 1, "the package on disk is another one"


OWN = {
    "__init__.py": "",
    "kernels.py": "def tripled(a):\n    return 3 * a\n\ndef doubled(a):\n    return 2 * a\n",
    "checks.py": "def some(name, self):\n    '''At most three dimensions.'''\n    if self.ndim > 3:\n"
    "        raise ValueError(f'{name}(): {self.ndim} dimensions')\n    return (self,)\n",
    "scalars.py": "def risen(x):\n    return x * x + type(x)(1)\n",
    "batching.py": "def whole(call):\n    return call.run(call.all_batch_first())\n",
    "mutated_ops.yaml": """\
- name: tripled(Tensor self) -> Tensor
  dtypes: [float]
  check: some
  kernel: tripled
  dispatch: {batch: whole}
  self: tripled(grad)
  result: auto_linear
  samples: ["self=T(3)"]
  errors: {ValueError: ["self=T(1, 1, 1, 1)"]}
  doc: Three times.
  example: |
    >>> mutated_ops.tripled(sg.ones(2))
    tensor([3., 3.])

- name: risen(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: risen(self)
  self: 2 * tripled(grad * self) / 3
  result: auto_element_wise
  doc: A parabola.
  example: |
    >>> mutated_ops.risen(sg.tensor([2.0]))
    tensor([5.])
""",
}
