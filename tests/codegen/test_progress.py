"""Long work says on a terminal how far it is, and nothing where standard error is none."""

import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest

from specgrad.codegen.project.progress import Progress
from tests.repository import ROOT

ERASE = "\r\033[K"
WORK = """
from specgrad.codegen.project.progress import Progress
with Progress(6, "ops") as progress:
    for number in range(6):
        progress.step()
    progress.say("a result")
"""


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a Python program writes to a terminal that both its outputs are."""
    ours, theirs = pty.openpty()
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        found = bytearray()
        with suppress(OSError):  # the terminal is gone when the program has ended
            while part := os.read(ours, 4096):
                found += part
    os.close(ours)
    assert process.returncode == 0, found.decode()
    return found.decode()


def separate(*arguments: str, **environment: str) -> tuple[str, str]:
    """What a Python program writes to its two outputs, which are files."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_terminal_shows_each_step_on_one_line() -> None:
    """It counts from the beginning, says how long the rest takes, makes way for results, and is gone in the end."""
    shown = on_a_terminal("-c", WORK)
    assert [f"{number} / 6 ops" in shown for number in range(7)] == [True] * 7
    assert "5 / 6 ops, 0 min 0 s left" in shown and "4 / 6 ops, " not in shown
    assert f"{ERASE}a result\r\n" in shown and shown.count("\n") == 1
    assert shown.endswith(ERASE)


def test_nothing_is_shown_without_a_terminal() -> None:
    """Logs hold results alone."""
    assert separate("-c", WORK) == ("a result\n", "")


@pytest.mark.parametrize(
    "command, line",
    [
        (["codegen", "verify", "neg"], "1 / 1 checks"),
        (["specgrad.warmup", "neg", "abs"], "2 / 2 ops"),
        (["benchmarks", "mul_sum_64", "--rounds", "1"], "1 / 1 workloads"),
    ],
    ids=["verify", "warmup", "benchmarks"],
)
def test_commands_show_how_far_they_are(command: list[str], line: str) -> None:
    """Long commands count on a terminal, and are as quiet as ever elsewhere."""
    assert line in on_a_terminal("-m", *command)
    assert separate("-m", *command)[1] == ""


def test_the_first_step_does_not_count_for_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles and loads: the estimate is that of the steps after it."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    progress = Progress(100, "batches")
    for seconds in (60.0, 1.0, 1.0, 1.0, 1.0):
        assert progress.left() == ""
        now[0] += seconds
        progress.step()
    assert progress.left() == ", 1 min 35 s left"
