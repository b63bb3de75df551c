"""Processes that are killed, or find no room, while they save: the file is the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import specgrad as sg
from tests.attack.amount import SEED, amount
from tests.patience import PATIENCE

CHUNKS = amount(1, 8)
LENGTH = 40_000

SAVER = """
import sys
import specgrad as sg
path, number, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
while True:
    print(number, flush=True)
    sg.save({"number": number, "x": sg.full((length,), float(number))}, path)
    number += 1
"""

# As where files have names always.
NAMED = "from specgrad.runtime.extensions.serialization import atomic_file; atomic_file._UNNAMED = 0\n"


@pytest.fixture(params=["unnamed", "named"])
def script(request: pytest.FixtureRequest) -> str:
    """A program that saves until it is killed, on systems that have files without a name and on those that do not."""
    return SAVER if request.param == "unnamed" else NAMED + SAVER


Start = Callable[[Path, int], "subprocess.Popen[str]"]


@pytest.fixture
def start(script: str) -> Iterator[Start]:
    """start(path, number) runs the program; whatever a failed test leaves running is killed."""
    with contextlib.ExitStack() as stack:

        def run(path: Path, number: int) -> subprocess.Popen[str]:
            slot_values = [sys.executable, "-c", script, str(path), str(number), str(LENGTH)]
            process = stack.enter_context(subprocess.Popen(slot_values, stdout=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            return process

        yield run


def _first_line(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def _killed(process: subprocess.Popen[str]) -> int:
    """Kill it; the number that it announced last."""
    process.kill()
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL
    numbers = [int(line) for line in output.splitlines()]
    return numbers[-1] if numbers else -1


def _number(path: Path) -> int:
    """The number in the file, which is whole."""
    found = sg.load(path)
    assert found["x"].shape == (LENGTH,) and (found["x"] == found["number"]).all()
    return found["number"]


def _rounds(seed: str, count: int) -> Iterator[tuple[random.Random, str]]:
    for number in range(count):
        yield random.Random(f"{seed} {number}"), f"seed {seed!r}, round {number}"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_killed_at_any_moment(tmp_path: Path, start: Start, chunk: int, figures: Callable[..., None]) -> None:
    """The file is the last one that was finished or the one that was being written, its mode is what it was, and
    the next save leaves nothing beside it."""
    path, kills = tmp_path / "model.pt", amount(4, 10)
    sg.save({"number": 0, "x": sg.zeros(LENGTH)}, path)
    path.chmod(0o640)
    left = 0
    for rng, where in _rounds(f"{SEED} kills {chunk}", kills):
        number = _number(path) + 1
        process = start(path, number)
        announced = _first_line(process)
        time.sleep(rng.random() ** 2 * 0.1)
        announced = max(announced, _killed(process))
        assert announced - 1 <= _number(path) <= announced, where
        assert stat.S_IMODE(path.stat().st_mode) == 0o640, where
        left += len(os.listdir(tmp_path)) - 1
        sg.save({"number": announced, "x": sg.full((LENGTH,), float(announced))}, path)
        assert os.listdir(tmp_path) == ["model.pt"], where
    figures("kills while saving", kills=kills, files_left_until_the_next_save=left)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_several_at_once(tmp_path: Path, start: Start, chunk: int, figures: Callable[..., None]) -> None:
    """Of several that save to one path until they are killed, the file is always whole, and nothing is left."""
    path, rounds = tmp_path / "model.pt", amount(1, 2)
    sg.save({"number": 0, "x": sg.zeros(LENGTH)}, path)
    for rng, where in _rounds(f"{SEED} several {chunk}", rounds):
        processes = [start(path, 1_000_000 * n) for n in range(1, 4)]
        begun = [_first_line(process) for process in processes]
        for process in processes:
            time.sleep(rng.random() * 0.1)
            _number(path)
            _killed(process)
        number = _number(path)
        assert number == 0 or any(n <= number < n + 1_000_000 for n in begun), where
        sg.save({"number": 0, "x": sg.zeros(LENGTH)}, path)
        assert os.listdir(tmp_path) == ["model.pt"], where
    figures("kills while saving", kills=3 * rounds)


FULL_DISK = """
import errno, resource, signal, sys
import specgrad as sg
path = sys.argv[1]
for most in map(int, sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        sg.save({"number": 2, "x": sg.full((40_000,), 2.0)}, path)
    except OSError as error:
        assert error.errno in (errno.EFBIG, errno.ENOSPC), error
    else:
        raise AssertionError(f"saved with {most} bytes")
"""


def test_full_disk(tmp_path: Path, figures: Callable[..., None]) -> None:
    """Where the room ends at any byte, the error is an OSError, the old file stays and nothing else is left."""
    path, rng, rounds = tmp_path / "model.pt", random.Random(f"{SEED} full"), amount(20, 400)
    sg.save({"number": 1, "x": sg.ones(LENGTH)}, path)
    size = path.stat().st_size
    limits = [0, 1, size - 1, *(rng.randrange(size) for _ in range(rounds))]
    for prefix in ("", NAMED):
        slot_values = [sys.executable, "-c", prefix + FULL_DISK, str(path), *map(str, limits)]
        done = subprocess.run(slot_values, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, f"seed {SEED}: {done.stderr}"
        assert os.listdir(tmp_path) == ["model.pt"] and _number(path) == 1
    figures("saves without room", saves=2 * len(limits))
