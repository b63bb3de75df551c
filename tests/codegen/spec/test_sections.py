"""Sections and their defaults: which entries take them, and errors that name the section's line and the entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.emit.render import OUTSIDE, Renderer
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Entry, Spec
from tests.repository import ROOT

Load = Callable[[str], tuple[Spec, list[str]]]

SECTION = """\
- section: Waves
  about: They go up
    and down.
  defaults: {variants: [function], dtype: float, dtypes: [float], dispatch: {batch: along}, self: grad * 2,
             result: auto_linear}
"""
EXP = "- name: exp(Tensor self) -> Tensor\n  elementwise: exp(self)\n"


@pytest.fixture
def read(load: Load) -> Callable[[str], list[Entry]]:
    """The entries of a spec that has nothing wrong in form."""

    def entries(text: str) -> list[Entry]:
        spec, problems = load(text)
        assert problems == []
        return list(spec.entries)

    return entries


def test_entries_take_what_they_do_not_say(read: Callable[[str], list[Entry]]) -> None:
    """Each key of the section, with its place there; an element-wise op has a batching rule already."""
    (exp,) = read(SECTION + EXP)
    assert (exp.variants, exp.dtype, exp.dtypes, exp.batch) == (("function",), "float", ("float",), None)
    assert (exp.gradients["self"].text, exp.forward["result"].keyword) == ("grad * 2", "auto_linear")
    assert exp.inherited == ("variants", "dtype", "dtypes", "self", "result")
    assert exp.key_locations["dtype"].line == 4
    assert exp.section is not None and (exp.section.title, exp.section.about) == ("Waves", "They go up and down.")


def test_an_own_key_wins(read: Callable[[str], list[Entry]]) -> None:
    """Whatever it says; `gradients` and `tangents` are keys of all arguments and outputs."""
    own = "  dtypes: [int, float]\n  self: grad\n  result: self_t\n"
    grouped = "  gradients: spread(grad)\n  tangents: spread(self_t)\n"
    one, other = read(SECTION + EXP + own + EXP.replace("exp(T", "exp.two(T") + grouped)
    assert (one.dtypes, one.gradients["self"].text, one.forward["result"].text) == (("int", "float"), "grad", "self_t")
    assert one.inherited == ("variants", "dtype")
    assert (other.gradients["self"].text, other.forward["result"].text) == ("spread(...)[0]", "spread(...)[0]")


BOOLS = "(Tensor self) -> Tensor\n  elementwise: self > 0\n  result_dtype: bool\n"
UNDEFINED = '(Tensor self) -> Tensor\n  kernel: sum_dim\n  self: not_implemented("why")\n'
WITHOUT = {
    "a composite": ("(Tensor self) -> Tensor\n  composite: self + self\n", {"dtype", "batch", "self", "result"}),
    "an output without a gradient": (BOOLS, {"self", "result", "batch"}),
    "another argument": ("(Tensor x) -> Tensor\n  kernel: sum_dim\n  x: non_differentiable\n", {"self", "result"}),
    "another output": ("(Tensor self) -> (Tensor a, Tensor b)\n  kernel: sum_dim\n", {"result"}),
    "nothing to differentiate": (UNDEFINED, {"self", "result"}),
}


@pytest.mark.parametrize("case", WITHOUT)
def test_a_default_is_for_entries_in_which_it_means_something(case: str, read: Callable[[str], list[Entry]]) -> None:
    """Formulas of other ops, and rules of ops that have theirs, leave an entry as it is."""
    text, missing = WITHOUT[case]
    *_, entry = read(SECTION + EXP + f"- name: f{text}")
    assert {"variants", "dtype", "dtypes", "batch", "self", "result"} - set(entry.inherited) == missing


def test_a_section_lasts_to_the_next(read: Callable[[str], list[Entry]]) -> None:
    """Comments, whatever they look like, do not end it."""
    two, three = EXP.replace("exp(T", "exp.two(T"), EXP.replace("exp(T", "exp.three(T")
    before, inside, after = read(EXP + SECTION + "# ---- Other ----\n\n" + two + "- section: Rest\n" + three)
    assert (before.section, before.inherited) == (None, ())
    assert inside.inherited and inside.section is not None
    assert after.inherited == () and after.section is not None and after.section.title == "Rest"


WRONG = {
    "{dtpes: [float]}": "2:14: defaults: no key, and no argument or output of an entry of the section is named 'dtpes'",
    "{dtypes: [flaot]}": "2:23: dtypes: unknown value 'flaot' (did you mean 'float'?)",
    "{doc: x}": "2:14: defaults: 'doc' is said of one op: it has no default; these have: variants namespace",
    "{self: grad *}": "2:26: self: syntax error: the expression ends too early",
    "{result: 3}": "2:22: result: 3 is a constant",
    "[float]": "2:13: defaults: expected keys with values, as in {dtypes: [float]}",
    "{dtypes: [int], dtypes: [float]}": "2:29: key 'dtypes' is given twice, first in line 2",
    "{output_differentiability: [true, false]}": "2:40: exp, output_differentiability: 2 values for 1 outputs "
    "(a default of the section 'A', for the entry in line 3)",
}


@pytest.mark.parametrize("defaults", WRONG)
def test_a_wrong_default_is_told_once_and_where_it_stands(defaults: str, load: Load) -> None:
    """Not for each of the entries that would take it."""
    own = "  self: grad\n  result: auto_element_wise\n"
    _, problems = load(f"- section: A\n  defaults: {defaults}\n{EXP}{own}")
    assert len(problems) == 1, problems
    assert problems[0].startswith(f"spec.yaml:{WRONG[defaults]}"), problems


NO_SECTIONS = {
    "section: A\n  default: {dtypes: [float]}": "2:3: unknown key 'default' of a section (did you mean 'defaults'?)",
    "section: A\n  dtypes: [float]": "2:3: unknown key 'dtypes' of a section: a section has a title, `about`, `autoc",
    "defaults: {dtypes: [float]}": "1:3: expected the title of a section, `- section: Title`, of at most 80 letters",
    "section: ''": "1:12: expected the title of a section",
    "section: [A]": "1:12: section: one value is wanted here",
    "about: [A]\n  section: B": "1:10: about: one value is wanted here",
}


@pytest.mark.parametrize("text", NO_SECTIONS)
def test_what_is_no_section_is_refused(text: str, load: Load) -> None:
    """A key that a section does not have, and a title that is none."""
    _, problems = load(f"- {text}\n- name: f(Tensor self) -> Tensor\n  composite: self + 1\n")
    assert len(problems) == 1, problems
    assert problems[0].startswith(f"spec.yaml:{NO_SECTIONS[text]}"), problems


def test_what_makes_no_sense_in_entries_names_section_and_entries(check: Callable[..., list[str]]) -> None:
    """The line of the default and that of the first entry, and how many more there are."""
    section = "- section: Waves\n  defaults:\n    dtype: float\n    self: grad * unknown(self)\n    result: zero\n"
    names = (EXP.replace("exp(T", f"exp_{name}(T") for name in ("one", "two", "three"))
    (problem,) = check(section + "".join(names))
    assert problem.startswith("spec.yaml:4:18: exp_one, self: ") and "'unknown'" in problem
    assert problem.endswith("(a default of the section 'Waves', for the entry in line 6 and 2 more)")


@pytest.mark.parametrize(
    "section", ["{section: A, defaults: {result: auto_linear}}", "section: A\n  defaults: {result: auto_linear}"]
)
@pytest.mark.parametrize("indent", ["", "  "])
def test_only_problems_of_the_section_name_it(section: str, indent: str, check: Callable[..., list[str]]) -> None:
    """However it is laid out: not those of the entry in the next line."""
    entry = "- name: exp(Tensor self, int k=0) -> Tensor\n  elementwise: exp(self)\n  self: grad * result\n"
    text = "".join(f"{indent}{line}\n" for line in f"- {section}\n{entry}".splitlines())
    problems = check(text)
    first = section.count("\n") + 2
    (notified,) = (problem for problem in problems if "a default of" in problem)
    assert notified.endswith(f"reads 'result' (a default of the section 'A', for the entry in line {first})")
    assert any(problem.startswith(f"spec.yaml:{first}:") for problem in problems)


def test_defaults_give_the_same_package_as_keys_of_the_entries(tmp_path: Path) -> None:
    """What is generated does not show whether an entry or its section said something."""
    common = {"variants": "[function]", "dtype": "float", "dtypes": "[float]", "result": "auto_element_wise"}
    entries = [
        f"- name: {n}(Tensor self) -> Tensor\n  elementwise: {n}(self)\n  self: grad * result\n  doc: 'x'\n"
        for n in ("exp", "tanh")
    ]
    short = f"- section: Waves\n  defaults: {{{', '.join(f'{k}: {v}' for k, v in common.items())}}}\n\n" + "".join(
        entries
    )
    long = "- section: Waves\n\n" + "".join(
        entry + "".join(f"  {k}: {v}\n" for k, v in common.items()) for entry in entries
    )
    made = []
    for text in (short, long):
        (tmp_path / "ops.yaml").write_text(text, encoding="utf-8")
        spec, problems = load_spec(tmp_path / "ops.yaml", "ops.yaml")
        assert problems == []
        made.append(Renderer(spec, OUTSIDE).rendered())
    assert made[0] == made[1]


def test_explain_shows_what_the_section_gives(capsys: pytest.CaptureFixture[str]) -> None:
    """The section's title and place, and each key that the entry has from it, for the tree's own spec."""
    spec, _ = load_spec(ROOT / "derivatives.yaml", "derivatives.yaml")
    entry = next((e for e in spec.entries if e.inherited), None)
    assert entry is not None and entry.section is not None
    assert main(["explain", entry.name]) == 0
    shown = capsys.readouterr().out
    assert f"  section    {entry.section.title} ({entry.section.where})\n" in shown
    assert all(f"gives {key} ({entry.key_locations[key]})\n" in shown for key in entry.inherited)
