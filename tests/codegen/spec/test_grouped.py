"""`flags` and `dispatch`, casts that a section lists, and older names of keys: how they are read, and mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.spec.model import Entry, Spec

Load = Callable[[str], tuple[Spec, list[str]]]

EXP = "- name: exp(Tensor self, Tensor other) -> Tensor\n  elementwise: exp(self) * other\n"
KERNEL = "- name: spun(Tensor self, Tensor other) -> Tensor\n  samples: [self=T(3)]\n"


def test_flags(entry: Callable[[str], Entry]) -> None:
    """Words are true; some have a value; each has a place of its own."""
    found = entry(
        EXP + "  flags: [commutative, precise: false, hook_order: [other, self], lazy: negative, eager: exp]\n"
    )
    assert (found.commutative, found.precise, found.replaces) == (True, False, False)
    assert (found.hooked, found.lazy, found.at_once) == (("other", "self"), "negative", "exp")
    assert str(found.key_locations["commutative"]) == "spec.yaml:3:11"
    assert str(found.key_locations["hook_order"]) == "spec.yaml:3:52"
    assert entry(EXP + "  flags: once_differentiable\n").once_differentiable


def test_dispatch(entry: Callable[[str], Entry]) -> None:
    """Rules by what they are for, with their places."""
    rules = "{batch: along, meta: same, sparse: each, conj: pairs, autocast: {cpu: lower}, onnx: Exp(self)}"
    found = entry(f"{KERNEL}  dispatch: {rules}\n")
    assert (found.batch, found.shape, found.sparse, found.conj_rule) == ("along", "same", "each", "pairs")
    assert found.autocast == {"cpu": "lower"} and found.onnx["result"].text == "Exp(self)"
    assert str(found.key_locations["meta"]) == "spec.yaml:3:34"


def test_a_section_gives_flags_one_by_one(load: Load) -> None:
    """An entry's own flags do not hide those of its section, and may say the contrary."""
    section = "- section: One\n  defaults: {flags: [precise, replaces], dispatch: {batch: along}}\n"
    spec, problems = load(section + EXP + "  flags: [commutative, precise: false]\n")
    (entry,) = spec.entries
    assert problems == [] and entry.commutative and entry.replaces and not entry.precise
    assert entry.inherited == ("replaces",) and spec.renamed == ()


MISTAKES = {
    "flags: [comutative]": "3:11: exp, flags: unknown flag 'comutative' (did you mean 'commutative'?)",
    "flags: [[precise]]": "3:11: exp, flags: a flag is a word, or one with a value: [ignores: [sorted]]",
    "flags: [precise, precise]": "3:20: exp: key 'precise' is given twice, first in line 3",
    "flags: [lazy: turned]": "3:17: exp, lazy: unknown value 'turned' (one of conjugate negative)",
    "flags: [precise: yes]": "3:20: exp, precise: unknown value 'yes' (one of True False true false)",
    "dispatch: {mta: same}": "3:14: exp, dispatch: unknown rule 'mta' (did you mean 'meta'?)",
    "dispatch: along": "3:13: exp, dispatch: rules are wanted here, as in {batch: along, meta: same}",
    "dispatch: {onnx: Exp(self}": "3:23: exp, onnx: bracket '(' is never closed",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_have_their_places(line: str, load: Load) -> None:
    """That of the word, or of its value."""
    _, problems = load(f"{EXP}  {line}\n")
    assert [problem.removeprefix("spec.yaml:") for problem in problems] == [MISTAKES[line]]


CASTS = """\
- section: One
  autocast:
    all: {lower: [exp]}
    cuda: {float32: [spun], refuse(it is unsafe): [third]}
    cpu: {widest: [spun]}
"""
THIRD = EXP.replace("exp(T", "third(T")


def test_a_section_lists_casts(load: Load) -> None:
    """By device and word; the place of an op's cast is where the first list names it."""
    spec, problems = load(CASTS + EXP + KERNEL + THIRD)
    assert problems == []
    exp, spun, third = spec.entries
    assert exp.autocast == {"cpu": "lower", "cuda": "lower"}
    assert list(spun.autocast.items()) == [("cpu", "widest"), ("cuda", "float32")]
    assert third.autocast == {"cuda": "refuse: it is unsafe"}
    assert str(spun.key_locations["autocast"]) == "spec.yaml:4:22"


WRONG_CASTS = {
    "{cpu: {lower: [exq]}}": "2:28: autocast: the section has no entry 'exq' (did you mean 'exp'?)",
    "{gpu: {lower: [exp]}}": "2:14: autocast: expected one of all cpu cuda",
    "{cpu: {low: [exp]}}": "2:20: autocast: unknown value 'low' (did you mean 'lower'?)",
    "{cpu: lower}": "2:19: autocast: ops by device and word are wanted here",
    "{cpu: {lower: exp}}": "2:27: autocast: a list of ops is wanted here",
    "{all: {lower: [exp]}, cpu: {float32: [exp]}}": "2:51: autocast: 'exp' is in two lists for one device",
}


@pytest.mark.parametrize("casts", WRONG_CASTS)
def test_mistakes_in_casts_have_their_places(casts: str, load: Load) -> None:
    """Ops, devices, words and forms."""
    _, (problem,) = load(f"- section: One\n  autocast: {casts}\n{EXP}")
    assert problem.removeprefix("spec.yaml:").startswith(WRONG_CASTS[casts])


def test_an_op_in_a_list_says_nothing_itself(load: Load) -> None:
    """Two places could disagree."""
    _, problems = load(f"- section: One\n  autocast: {{cpu: {{lower: [exp]}}}}\n{EXP}  dispatch: {{autocast: off}}\n")
    assert problems == ["spec.yaml:5:14: exp, autocast: a list of the section has the op, too, at spec.yaml:2:28"]


OLD = """\
- section: One
  defaults: {precise: true}
- name: exp(Tensor self, Tensor other) -> Tensor
  elementwise: exp(self) * other
  hard: ["self=V([0.0]), other=V([1.0])"]
  gives: {int32: int32}
  laid_like: [self]
  shape: same
"""
NOW = {
    "2:14: the key 'precise' is now a flag, `flags: [precise]`",
    "5:3: exp: the key 'hard' is now 'edge_cases'",
    "6:3: exp: the key 'gives' is now 'dtype_table'",
    "7:3: exp: the key 'laid_like' is now a flag, `flags: [memory_format_of]`",
    "8:3: exp: the key 'shape' is now a rule, `dispatch: {meta: ...}`",
}


def test_older_names_are_read(load: Load) -> None:
    """They mean what they meant, and each is noted with today's name."""
    spec, problems = load(OLD)
    (entry,) = spec.entries
    assert problems == []
    assert entry.precise and len(entry.hard) == 1 and entry.gives == {"int32": "int32"}
    assert (entry.memory_format_of, entry.shape) == (("self",), "same")
    notes = {
        str(note).removeprefix("spec.yaml:").removesuffix(": the older form will no longer be read")
        for note in spec.renamed
    }
    assert notes == NOW


def test_the_command_warns_of_older_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once for each name, with the first place and how many there are."""
    entry = "- name: bent_{}(Tensor self) -> Tensor\n  elementwise: self * 2\n  hard: ['self=V([0.0])']\n"
    (tmp_path / "ops.yaml").write_text(entry.format("one") + entry.format("two"), encoding="utf-8")
    assert main([str(tmp_path / "ops.yaml"), "--out", str(tmp_path / "ops"), "--list"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "ops.yaml:3:3: warning: the key 'hard' is now 'edge_cases': the older form will no longer be read (2 places)"
    ]
