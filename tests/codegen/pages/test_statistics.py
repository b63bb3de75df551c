"""The count of lines that ops take."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.pages.statistics import code_lines, entry_lines, spec_stats, without_python
from specgrad.codegen.proof.derive import load_spec

SPEC = """# A heading of

# ---- Things ----

- name: one(Tensor self) -> Tensor
  elementwise: self + 1  # the sum

  # why
  self: grad
- name: two(Tensor self) -> Tensor
  dtype: float
  kernel: two
  check: same_shape
- name: one.out(Tensor self, Tensor other) -> Tensor
  composite: helped(self)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ops.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def test_lines_of_entries(path: Path) -> None:
    """Blank lines and comments do not count; overloads count for one function."""
    entries = load_spec(path)[0].entries
    assert entry_lines(SPEC, entries) == {"one": 3, "two": 4, "one.out": 2}
    found = spec_stats(path, entries)
    assert (found.entries, found.functions, found.median_entry, found.median_function) == (3, 2, 3, 4.5)


def test_functions_that_name_no_python(path: Path) -> None:
    """A kernel, a check or a helper of formulas is Python of the op's own."""
    entries = load_spec(path)[0].entries
    assert without_python(entries, []) == {"one"}
    assert without_python(entries, ["helped"]) == set()


MODULE = '''"""What

it is."""

# why
x = """a
b"""


def f():
    """Says."""
    return [
        1,
    ]
'''


def test_lines_of_code(tmp_path: Path) -> None:
    """Docstrings, comments and blank lines do not count; strings in code do."""
    (tmp_path / "module.py").write_text(MODULE, encoding="utf-8")
    assert code_lines(tmp_path / "module.py") == 6


def test_the_command_reports_both_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the tree's spec: an entry takes few lines of YAML, and a third of the functions no Python at all."""
    assert main(["--count"]) == 0
    shown = capsys.readouterr().out
    assert "lines per entry" in shown and "Python by hand: " in shown and shown.endswith(" in all\n")
