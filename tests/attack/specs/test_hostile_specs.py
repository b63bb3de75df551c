"""The generator on specs from an enemy: accepted with a package that can be imported, or refused with a place.

No traceback, no hang, no memory without end, and nothing written where something was refused.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.attack.amount import FULL, SEED, amount
from tests.patience import PATIENCE
from tests.repository import ROOT

from .hostile_specs import corpus
from .mutated_specs import mutated, tree_entries
from .structural_edits import edited_specs

CORPUS = corpus()
CHUNKS = 24
CHOSEN = range(CHUNKS) if FULL else [SEED % CHUNKS]
MUTATED = amount(60, 10_000)
EXCERPT = "    "  # of the line that a problem is in, and of its caret
DEVICE = re.compile(r"[^\n]{1,80}:\d+:\d+: [^\n]{1,1000}")  # file, line, column, sentence


@pytest.mark.parametrize("chunk", CHOSEN)
def test_hostile_specs_are_refused_with_a_place(chunk: int, tmp_path: Path, figures: Callable[..., None]) -> None:
    """Each of the corpus is judged as it says, in bounded time and memory."""
    chosen = CORPUS[chunk::CHUNKS]
    verdicts = evaluate_mutant(tmp_path, [each.content for each in chosen])
    wrong = [each.name for each, problems in zip(chosen, verdicts, strict=True) if each.refused and not problems]
    assert wrong == [], "accepted"
    figures("hostile specs", judged=len(chosen), refused=sum(bool(problems) for problems in verdicts))


@pytest.mark.parametrize("chunk", range(amount(1, 100)))
def test_mutated_entries_are_accepted_or_refused_with_a_place(
    chunk: int, tmp_path: Path, figures: Callable[..., None]
) -> None:
    """Entries of specgrad's own spec with keys dropped, doubled and exchanged, values made odd and texts torn."""
    rng = random.Random(f"mutated {SEED} {chunk}")
    sources = tree_entries()
    specs = [mutated(sources, rng).encode("utf-8", errors="surrogatepass") for _ in range(MUTATED // amount(1, 100))]
    verdicts = evaluate_mutant(tmp_path, specs)
    figures("mutated specs", judged=len(specs), refused=sum(bool(problems) for problems in verdicts))


@pytest.mark.parametrize("chunk", range(amount(1, 10)))
def test_slips_of_a_hand_are_refused_with_a_place(chunk: int, tmp_path: Path, figures: Callable[..., None]) -> None:
    """Entries of specgrad's own spec with one thing wrong, of twenty-one kinds: none is accepted."""
    edits = edited_specs(random.Random(f"edited {SEED} {chunk}"), each=4)
    verdicts = evaluate_mutant(tmp_path, [text.encode() for _, text in edits])
    assert [name for (name, _), problems in zip(edits, verdicts, strict=True) if not problems] == [], "accepted"
    figures("edited specs", judged=len(edits), refused=len(edits))


def evaluate_mutant(folder: Path, specs: Sequence[bytes]) -> list[list[str]]:
    """The problems that the generator finds in each spec, all with a place; empty for what can be imported."""
    for number, content in enumerate(specs):
        (folder / f"s{number:05d}.yaml").write_bytes(content)
    command = [sys.executable, "-m", "tests.attack.specs.judging", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    with open(folder / "printed", "w+", encoding="utf-8") as printed:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=printed, stderr=subprocess.PIPE, text=True, timeout=PATIENCE
        )
        printed.seek(0)
        lines = [json.loads(line) for line in printed]
    assert done.returncode == 0, f"seed {SEED}, {folder}, {lines[-1:]}: {done.stderr[-3000:]}"
    verdicts = [line["problems"] for line in lines if "file" in line]
    assert len(verdicts) == len(specs)
    for number, problems in enumerate(verdicts):
        bad = [problem for problem in problems if not DEVICE.fullmatch(problem)]
        assert not bad, f"seed {SEED}, spec {number} of {folder}: no place in {bad[:3]}"
    return verdicts


def test_the_command_refuses_without_a_trace(tmp_path: Path, figures: Callable[..., None]) -> None:
    """`python -m specgrad.codegen` ends with status 1 and sentences, and leaves nothing where it was to write."""
    chosen = [(number, CORPUS[number]) for number in range(0, len(CORPUS), amount(300, 13))]
    for number, hostile in chosen:
        (tmp_path / f"s{number}.yaml").write_bytes(hostile.content)
    argvs = [[f"s{number}.yaml", "--out", f"made{number}", "--no-verify"] for number, _ in chosen]
    for (number, hostile), (status, error) in zip(chosen, commanded(tmp_path, argvs), strict=True):
        assert "Traceback" not in error, error
        assert status in ((1,) if hostile.refused else (0, 1)), f"{hostile.name}: {error}"
        if status:
            assert not (tmp_path / f"made{number}").exists()
            assert all(DEVICE.fullmatch(line) or line.startswith(EXCERPT) for line in error.splitlines()[:-1]), error
            assert error.splitlines()[-1].endswith("nothing was written")
    figures("hostile specs by the command line", run=len(chosen))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A pipe that nobody writes to, a folder, a device without end: refused without reading."""
    os.mkfifo(tmp_path / "pipe.yaml")
    paths = (tmp_path / "pipe.yaml", tmp_path, Path("/dev/zero"), tmp_path / "none.yaml")
    for status, error in commanded(tmp_path, [[str(path), "--out", "made"] for path in paths]):
        assert status == 1 and "cannot be read" in error and "Traceback" not in error


# Runs `python -m specgrad.codegen` with each of some arguments, all in one process, which reads specgrad's spec once.
COMMANDS = """
import contextlib, io, json, sys
from specgrad.codegen.__main__ import main
for argv in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as error:
        status = main(argv)
    print(json.dumps([status, error.getvalue()]), flush=True)
"""


def commanded(folder: Path, argvs: list[list[str]]) -> list[tuple[int, str]]:
    """The status of each command in a folder, and what it says of errors."""
    command = [sys.executable, "-c", COMMANDS, json.dumps(argvs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, f"after {done.stdout}: {done.stderr}"
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def test_the_corpus_is_large() -> None:
    """At least 150 hostile specs, most of which must be refused."""
    assert len(CORPUS) > 500 and sum(each.refused for each in CORPUS) > 400
