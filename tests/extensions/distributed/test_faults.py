"""Ranks that die, hang or run out of memory while they train: the others say who it was, and training goes on."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.distributed.launcher import mpiexec
from tests.attack.amount import FULL, SEED, amount
from tests.extensions.distributed.faulty_training import BATCH, STEPS, TIMEOUT, batch, network
from tests.patience import PATIENCE
from tests.repository import ROOT

pytest.importorskip("mpi4py")
SLACK = 60.0  # seconds, beyond the timeout of groups, until all have ended: on a busy machine
RANKS = 3 if FULL else 2
WAYS = ("kill", "stop", "raise", "memory", "exit")
MOMENTS = ("begin", "backward", "all_reduce", "save", "barrier", "start", "end")
LATER = ("kill", "stop", "exit")  # faults that another thread can bring, at any moment
TOLD = {
    "kill": "rank {} was killed by SIGKILL",
    "stop": r"rank {} \(process \d+ is stopped\) did not answer|rank {}: process \d+ is stopped",
    "raise": "rank {} has ended with ValueError: the data are gone",
    # Without memory a rank may take longer than the timeout to fail.
    "memory": "rank {} has ended with (Memory|Runtime)Error|rank {} did not answer",
    "exit": r"rank {} has ended with status 7",
}
CASES = amount(6, 50)


def sampled(number: int) -> dict[str, Any]:
    """A fault: its way by turns, and when and where."""
    rng = random.Random(f"{SEED} faults {number}")
    way = WAYS[number % len(WAYS)]
    fault = {"way": way, "rank": rng.randrange(RANKS), "step": rng.randrange(STEPS), "moment": rng.choice(MOMENTS)}
    if fault["moment"] in ("start", "end"):
        fault["step"] = 0 if fault["moment"] == "start" else STEPS
    elif way in LATER and rng.random() < 0.5:
        fault["delay"] = 0.03 * rng.random()
    return fault


def launch(folder: Path, fault: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
    """Train under the launcher."""
    return train(folder, fault, sys.executable, "-m", "specgrad.distributed.run", *options)


def train(folder: Path, fault: dict[str, Any], *start: str) -> subprocess.CompletedProcess[str]:
    """What a training prints."""
    command = [*start, str(Path(__file__).with_name("faulty_training.py")), str(folder), json.dumps(fault)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHON_COLORS": "0"}
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    """The losses of a training that nothing breaks."""
    folder = tmp_path_factory.mktemp("unbroken")
    done = launch(folder, {}, "-n", str(RANKS))
    assert done.returncode == 0, done.stderr
    return read(folder / "done.json")["losses"]


def test_an_unbroken_training(unbroken: list[float]) -> None:
    """The losses are those of one process with whole batches, by NumPy."""
    weights = [one.detach().numpy().copy() for one in network().parameters()]
    moments = [np.zeros_like(one) for one in weights]
    for step in range(STEPS):
        x, y = (one.numpy() for one in batch(step))
        hidden = np.tanh(x @ weights[0].T + weights[1])
        error = hidden @ weights[2].T + weights[3] - y
        np.testing.assert_allclose(unbroken[step], (error**2).mean(), rtol=1e-13)
        out = 2 * error / BATCH
        inner = out @ weights[2] * (1 - hidden**2)
        grads = [inner.T @ x, inner.sum(0), out.T @ hidden, out.sum(0)]
        moments = [0.9 * moment + grad for moment, grad in zip(moments, grads, strict=True)]
        weights = [one - 0.1 * moment for one, moment in zip(weights, moments, strict=True)]


def test_mpiexec_alone(unbroken: list[float], tmp_path: Path) -> None:
    """A rank that is stopped is named after the timeout, and mpiexec ends all; the next start goes on."""
    start = (mpiexec(), "-n", str(RANKS), sys.executable)
    done = train(tmp_path, {"way": "stop", "rank": 1, "step": 3, "moment": "all_reduce"}, *start)
    waited = time.time() - read(tmp_path / "fault.json")
    assert done.returncode != 0 and waited < TIMEOUT + SLACK
    assert re.search(_stopped_in("all_reduce float64 [] SUM", tmp_path), done.stderr), done.stderr
    assert not any(alive(process) for process in began(tmp_path))
    for path in tmp_path.glob("began-*.json"):
        path.unlink()
    assert train(tmp_path, {}, *start).returncode == 0
    assert read(tmp_path / "done.json")["losses"] == unbroken


def _stopped_in(call: str, folder: Path) -> str:
    """What each other rank may say first of rank 1, which is stopped; that others wait too, where it has heard that."""
    others = "".join(str(rank) for rank in range(RANKS) if rank != 1)
    message = re.escape(call) + r" \(call \d+\)"
    about = rf"\[rank [{others}]\] {message} .*called at .*faulty_training\.py:\d+: "
    waits = rf"(not complete within {TIMEOUT:g} s; )?(rank [{others}] waits in {message}; )*"
    process = read(folder / "began-0-1.json")[1]
    return rf"{about}{waits}rank 1 \(process {process} is stopped\) did not answer"


def began(folder: Path) -> list[int]:
    """The processes of all ranks that have begun."""
    return [read(path)[1] for path in folder.glob("began-*.json")]


def alive(process: int) -> bool:
    """Whether a process still runs."""
    return state(process) not in "ZX"


def state(process: int) -> str:
    """The letter of its state, T when it is stopped, and X where there is no such process any more."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"


@pytest.mark.parametrize("number", range(CASES))
def test_a_rank_that_breaks(number: int, unbroken: list[float], tmp_path: Path) -> None:
    """The others end in time and name it; no file is half written; the next attempt has the same losses."""
    fault, fewer, logs = sampled(number), number % 2 == 1, tmp_path / "logs"
    folder = tmp_path / "run"
    folder.mkdir()
    count = f"{RANKS - 1}:{RANKS}" if fewer else str(RANKS)
    launched = time.time()
    done = launch(folder, fault, "-n", count, "--max-restarts", "1", "--log-dir", str(logs))
    what = f"{fault}\n{done.stderr}"
    assert done.returncode == 0, what
    found = read(folder / "done.json")
    broken = (folder / "fault.json").exists() and (folder / "began-1-0.json").exists()
    if not broken:  # a delay that was longer than the rest of the training
        assert "delay" in fault and found["losses"] == unbroken, what
        return
    assert found["ranks"] == RANKS - fewer, what
    np.testing.assert_allclose(found["losses"], unbroken, rtol=1e-12 if fewer else 0, err_msg=what)
    start, again = (max(read(path)[0] for path in folder.glob(f"began-{attempt}-*.json")) for attempt in (0, 1))
    assert again - read(folder / "fault.json") < TIMEOUT + SLACK + (start - launched), (
        what
    )  # a start takes as long again
    assert not any(alive(process) for process in began(folder)), what
    assert sorted(os.listdir(folder))[-3:] == ["checkpoint.pt", "done.json", "fault.json"], os.listdir(folder)
    assert len(sg.load(folder / "checkpoint.pt")["losses"]) == STEPS
    _check_what_was_said(fault, logs / "attempt_0", done.stderr)


def _check_what_was_said(fault: dict[str, Any], logs: Path, report: str) -> None:
    """The others name the rank, its end, and where they waited; the launcher reports it as the first.

    Faults at the program's end, or that a delay may bring there, may find the others with no call left to make: where
    they wait is behind their last one then, which is the barrier of the last step.
    """
    rank = fault["rank"]
    requested = TOLD[fault["way"]].replace("{}", str(rank))
    called = r"called at .*faulty_training\.py:\d+:"
    location = rf"DistBackendError: \[rank \d\] .*{called}"
    if fault["moment"] == "end" or "delay" in fault:
        location += rf"|\[rank \d\] the end of the program after barrier .*{called} MPI is not finalized: "
    for other in {*range(RANKS)} - {rank}:
        message = (logs / str(other) / "stderr.log").read_text(encoding="utf-8")
        what = f"{fault}\nrank {other}: {message}"
        if fault["moment"] == "start":  # the launcher ends the others, but where it does not know that one hangs
            late = f"MPI_Init: not complete within {TIMEOUT:g} s; rank {rank} did not come"
            assert fault["way"] != "stop" or late in message, what
            continue
        assert re.search(requested, message), what
        assert re.search(location, message), what
    if fault["way"] != "memory":
        assert re.search(rf"First failure:\n  rank      : {rank} ", report), f"{fault}\n{report}"
