"""Row programs are shown where an op is explained, and changed where mistakes are made on purpose."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.mutate.mutants import Related, mutants
from specgrad.codegen.proof.derive import load_spec
from tests.repository import ROOT

EXAMPLE = ROOT / "examples" / "norm_ops" / "src" / "norm_ops"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A copy of the example whose kernels are all made of row programs."""
    folder = tmp_path / "norm_ops"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("generated", "__pycache__"))
    return folder / "norm_ops.yaml"


def test_explained(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program of an entry line by line, and its passes over a row; those of kernels that are written by hand."""
    assert main([str(spec), "--no-verify"]) == 0
    capsys.readouterr()
    assert main(["explain", "gained_rms", "--spec", str(spec)]) == 0
    shown = capsys.readouterr().out
    for line in ("scale = 1 / sqrt(mean(self * self) + eps)", "pass 1: sum(self * self)", "pass 2: writes result"):
        assert line in shown
    assert main(["explain", "softmax"]) == 0
    shown = capsys.readouterr().out
    assert "top = max(self)" in shown and "pass 2: sum(raised)" in shown
    assert "(kernels/programs/cpu_softmax_backward.py), backward" in shown
    assert main(["explain", "nll_loss"]) == 0
    assert "backward by nll_row_backward" in capsys.readouterr().out
    assert main(["explain", "norm"]) == 0
    assert "by length_of_power" in capsys.readouterr().out


def test_on_the_pages() -> None:
    """Each program of a kernel stands on the page of its op, and in the reference of a package."""
    page = (ROOT / "docs" / "ops" / "softmax.md").read_text(encoding="utf-8")
    assert "- row program: `top = max(self)`; `raised = exp(" in page


def test_changed() -> None:
    """Each assignment, its folds for others of their kind and its names for other arrays among what is changed."""
    entries = load_spec(EXAMPLE / "norm_ops.yaml", "norm_ops.yaml")[0].by_name()
    entry = entries["spread"]
    found = [m for m in mutants(entry, Related([entry])) if m.key == "rows"]
    assert {m.after for m in found} >= {"max(self) + min(self)", "min(self) - min(self)", "argmin(self)"}
    for mutant in found:
        assert entry.rows is not None and mutant.entry.rows is not None
        lines = zip(mutant.entry.rows.lines, entry.rows.lines, strict=True)
        assert sum(one != other for one, other in lines) == 1 and mutant.where.line in (29, 30)


def test_changed_arrays(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("- name: apart(Tensor self, Tensor other) -> Tensor\n  rows: result = sum(self * exp(other))\n")
    (entry,) = load_spec(path)[0].entries
    changed = {m.after for m in mutants(entry, Related([entry])) if m.key == "rows"}
    assert {"sum(other * exp(other))", "sum(self * exp(self))"} <= changed


def test_judged(spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed program is run from memory on both devices, and found wrong."""
    assert main([str(spec), "--no-verify"]) == 0
    out = tmp_path / "judged.json"
    assert (
        main(["mutate", "spread", "--key", "rows", "--max-count", "25", "--spec", str(spec), "--json", str(out)]) == 0
    )
    (op,) = json.loads(out.read_text(encoding="utf-8"))
    assert op["mutants"] and " 0 survive" in capsys.readouterr().out


def test_the_page_of_one_op_shows_what_there_is() -> None:
    """Each block is a part of the file that is named before it."""
    page = (ROOT / "docs" / "one-op.md").read_text(encoding="utf-8")
    shown, file = 0, ""
    for part in page.split("```"):
        if part.startswith(("yaml part\n", "python part\n")):
            assert part.partition("\n")[2] in (ROOT / file).read_text(encoding="utf-8"), part
            shown += 1
        elif files := re.findall(r"(?:\(\.\./|`)(generated/[\w/.]+|derivatives\.yaml)[`)]", part):
            file = files[-1]
    assert shown == 5
