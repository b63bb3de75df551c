"""Text that is no YAML: the usual mistakes are told where they are, however far behind them libyaml stops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.spec.excerpt import with_excerpt
from specgrad.codegen.spec.model import Problem, Spec, Where

Load = Callable[[str], tuple[Spec, list[str]]]

RIGHT = """\
- name: swish(Tensor self, *, float beta=1.0) -> Tensor
  dtypes: [float]
  elementwise: self * sigmoid(beta * self)
  doc: "x"

- name: raised(Tensor self) -> Tensor
  dtypes: [float]
  composite: swish(self) + 1
  samples: ["self=T(3)"]
"""
EXPRESSION = "self * sigmoid(beta * self)"
IN_QUOTES = "put the value in quotes"
MISTAKES = [
    ("  dtypes: [float]\n  elem", "\tdtypes: [float]\n  elem",
     "2:1: cannot be read: a tab: YAML is indented by spaces"),
    ('"x"', "swish: a gate", f"4:13: cannot be read: ': ' in a value begins another key: {IN_QUOTES}"),
    ('"x"', '"x', '4:8: cannot be read: the quote " is never closed'),
    ('"x"', '"x" or so',
     '4:12: cannot be read: a value that begins with the quote " ends here: put all of it in quotes'),
    ('"x"', '"\\sigma"',
     "4:9: cannot be read: a backslash in double quotes begins an escape: put the value in single quotes"),
    ('doc: "x"', "operator: *",
     f"4:13: cannot be read: '*' at the beginning of a value is an alias in YAML: {IN_QUOTES}"),
    ('doc: "x"', "operator: %",
     f"4:13: cannot be read: '%' at the beginning of a value is a directive in YAML: {IN_QUOTES}"),
    (EXPRESSION, "*self", f"3:16: cannot be read: expected a value, found the alias '*self': {IN_QUOTES}"),
    (EXPRESSION, "- self",
     f"3:16: cannot be read: '-' at the beginning of a value is an item of a list in YAML: {IN_QUOTES}"),
    (EXPRESSION, "{self} * 2", "3:23: cannot be read: a value that begins with '{' ends here: put all of it in quotes"),
    (EXPRESSION, "[self, self][0]",
     "3:28: cannot be read: a value that begins with '[' ends here: put all of it in quotes"),
    (EXPRESSION, "[self, self]",
     "3:16: swish, elementwise: one value is wanted here, not a list: an expression that begins with '[' stands in "
     "quotes"),
    (EXPRESSION, "self * # sigmoid",
     "3:22: swish, elementwise: syntax error: the expression ends too early (what stands behind ' #' is a comment: "
     f"{IN_QUOTES})"),
    ("  elementwise", " elementwise",
     "3:2: cannot be read: 'elementwise' is indented by 1, the keys of its entry by 2"),
    ("  elementwise", "    elementwise",
     "3:5: cannot be read: 'elementwise' is indented by 4, the keys of its entry by 2"),
    ("- name: raised", "name: raised", "6:1: cannot be read: an item of a spec begins with a dash: `- name: ...`"),
    ("- name: raised", "  name: raised",
     "6:3: swish: key 'name' is given twice, first in line 1: an entry begins with `- name:`"),
    ("- name: raised", "-name: raised", "6:2: cannot be read: a space belongs behind '-'"),
    ("dtypes: [float]\n  elem", "dtypes:[float]\n  elem",
     "2:10: cannot be read: a space belongs between 'dtypes:' and its value"),
    ("[float]\n  elem", "[float\n  elem", "2:11: cannot be read: the bracket [ is never closed"),
    ('["self=T(3)"]', "[self=T(3, 4)]", "9:13: raised, samples: 'self=T(3' ends at a comma: a call stands in quotes"),
    ('doc: "x"', "dtypes: [int]", "4:3: swish: key 'dtypes' is given twice, first in line 2"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "problem"), MISTAKES)
def test_a_mistake_is_told_with_its_usual_cause(load: Load, right: str, wrong: str, problem: str) -> None:
    """One problem, where the mistake is; nothing is said of what follows from it."""
    assert RIGHT.count(right) == 1
    assert load(RIGHT.replace(right, wrong))[1] == [f"spec.yaml:{problem}"]


def test_values_of_several_lines_are_no_mistakes(load: Load) -> None:
    """Lists, quotes and blocks that go on in the next line, above a mistake."""
    long = (
        '  reference: "self /\n    (1 + a)"\n  aliases: [a,\n    b]\n  example: |\n    >>> a: [\n    1\n  doc: c: d\n'
    )
    assert load("- name: f(Tensor self) -> Tensor\n" + long)[1] == [
        f"spec.yaml:9:9: cannot be read: ': ' in a value begins another key: {IN_QUOTES}"
    ]


def test_a_problem_is_shown_with_its_line(tmp_path: Path) -> None:
    """The line and a caret below the place; of a long line the part around it; nothing of a file that is not there."""
    (tmp_path / "spec.yaml").write_text(f"- name: f\n    doc: x\n{'a' * 200}b{'c' * 200}\n", encoding="utf-8")
    assert with_excerpt(Problem(Where("spec.yaml", 2, 10), "f", "doc", "no"), tmp_path) == (
        "spec.yaml:2:10: f, doc: no\n    doc: x\n         ^"
    )
    sentence, line, caret = with_excerpt(Problem(Where("spec.yaml", 3, 201), "", "", "no"), tmp_path).split("\n")
    assert len(line) <= 120 and line[caret.index("^")] == "b"
    assert with_excerpt(Problem(Where("lower/spec.yaml", 1, 1), "", "", "no"), tmp_path) == "lower/spec.yaml:1:1: no"
