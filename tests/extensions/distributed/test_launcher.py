"""`specgrad.distributed.run` with programs that are no trainings: what it shows, keeps, reports and ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from specgrad.runtime.extensions.distributed.launcher import attempt, main
from specgrad.runtime.extensions.distributed.launcher.options import parsed
from tests.extensions.distributed.test_faults import alive, state
from tests.repository import ROOT

pytest.importorskip("mpi4py")
SOON = 90.0  # seconds: less than programs sleep, more than a busy machine needs
KILLED = 128 + signal.SIGKILL

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """write(text) makes a program, which is ended without long waits."""
    monkeypatch.setattr(attempt, "_OWN_TIME", 0.3)
    monkeypatch.setattr(attempt, "_GRACE", 0.5)

    def made(text: str) -> str:
        path = tmp_path / "program.py"
        path.write_text("import os, signal, sys, time\nrank = int(os.environ['RANK'])\n" + text, encoding="utf-8")
        return str(path)

    return made


SPEAK = "print('out', rank, *sys.argv[1:])\nprint('err', rank, file=sys.stderr)\n"


def test_what_is_shown_and_kept(write: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Lines come as they are; with a folder for logs behind their rank, and in files as they are."""
    program, logs = write(SPEAK), tmp_path / "logs"
    assert main(["-n", "2", program, "a"]) == 0
    out, err = capfd.readouterr()
    assert sorted(out.splitlines()) == ["out 0 a", "out 1 a"] and sorted(err.splitlines()) == ["err 0", "err 1"]
    assert main(["-n", "2", "--log-dir", str(logs), program]) == 0
    out, err = capfd.readouterr()
    assert sorted(out.splitlines()) == ["[0] out 0", "[1] out 1"]
    assert sorted(err.splitlines()) == ["[0] err 0", "[1] err 1"]
    retained = {str(path.relative_to(logs)): path.read_text() for path in logs.rglob("*.log")}
    assert retained == {f"attempt_0/{n}/std{name}.log": f"{name} {n}\n" for n in (0, 1) for name in ("out", "err")}
    other = tmp_path / "other"
    chosen = ["--redirects", "0:3,1:1", "--tee", "1:2", "--local-ranks-filter", "0,1"]
    assert main(["-n", "2", "--log-dir", str(other), *chosen, program]) == 0
    assert capfd.readouterr() == ("", "[1] err 1\n")
    assert len([*other.rglob("*.log")]) == 4
    assert main(["-n", "2", "--local-ranks-filter", "1", program]) == 0
    assert capfd.readouterr() == ("out 1\n", "err 1\n")


def test_a_rank_that_fails(write: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The others are ended, also those that SIGTERM does not end; the report says who was first, and what it said."""
    deaf = tmp_path / "deaf"
    text = (
        f"if rank == 2: signal.signal(signal.SIGTERM, signal.SIG_IGN), open({str(deaf)!r}, 'w').close()\n"
        f"while rank == 1 and not os.path.exists({str(deaf)!r}): time.sleep(0.01)\n"
        "if rank == 1: sys.exit('no data')\n"
    )
    begin = time.monotonic()
    assert main(["-n", "3", "--log-dir", str(tmp_path / "logs"), write(text + "time.sleep(200)\n")]) == 1
    assert time.monotonic() - begin < SOON
    report = capfd.readouterr().err
    requested = [
        "First failure:\n  rank      : 1 (process ",
        "ended with: exit status 1",
        "stderr ends with:\n    no data\n",
    ]
    requested += ["rank 0: SIGTERM (signal 15), by the launcher", "rank 2: SIGKILL (signal 9), by the launcher"]
    assert all(part in report for part in [*requested, "attempt_0/1/stderr.log"]), report


@pytest.mark.parametrize(
    ("text", "status"), [("sys.exit(5)", 5), ("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", KILLED)]
)
def test_the_status(write: Write, text: str, status: int) -> None:
    """The launcher's status is that of the rank that failed first."""
    assert main(["-n", "2", write(f"if rank: {text}\ntime.sleep(200)\n")]) == status


def test_a_program_that_is_not_there(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    """What cannot be started has status 127, as with shells."""
    assert main(["-n", "2", "--no-python", "./nowhere"]) == 127
    assert "./nowhere: No such file or directory" in capfd.readouterr().err


def test_fewer_ranks_after_each_failure(
    write: Write, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """MIN:MAX begins with MAX, and goes down to MIN; ranks know how often they have been started."""
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    names = "('TORCHELASTIC_RESTART_COUNT', 'WORLD_SIZE', 'LOCAL_WORLD_SIZE', 'MASTER_ADDR', 'OMP_NUM_THREADS')"
    text = f"print(*(os.environ.get(name) for name in {names}))\n"
    program = write(text + "sys.exit(os.environ['WORLD_SIZE'] != '1')\n")
    assert main(["-n", "1:3", "--max-restarts", "4", program]) == 0
    out, err = capfd.readouterr()
    assert {line[:3] for line in out.splitlines()} == {"0 3", "1 2", "2 1"}
    assert "2 1 1 127.0.0.1 " in out and "start 3 of at most 5, with 1 ranks" in err
    assert main(["-n", "2:3", "--max-restarts", "2", program]) == 1
    assert {line[:5] for line in capfd.readouterr().out.splitlines()} == {"0 3 3", "1 2 2", "2 2 2"}


def test_ranks_that_begin_no_collective(
    write: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are ended after --hang-timeout, also one that is stopped."""
    find, stopped = attempt.Attempt._find_hung, tmp_path / "stopped"

    def find_when_stopped(self: attempt.Attempt, seconds: float) -> None:
        if stopped.exists() and state(int(stopped.read_text(encoding="ascii"))) == "T":
            find(self, seconds)

    monkeypatch.setattr(attempt.Attempt, "_find_hung", find_when_stopped)
    note = f"path = {str(stopped)!r}; open(path + '.new', 'w').write(str(os.getpid())); os.rename(path + '.new', path)"
    text = f"if rank: {note}; os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(200)\n"
    begin = time.monotonic()
    assert main(["-n", "2", "--hang-timeout", "1.5", write(text)]) != 0
    assert time.monotonic() - begin < SOON
    report = capfd.readouterr().err
    assert "no collective for 1.5 s (--hang-timeout): rank 0: " in report
    assert "rank      : 1 " in report and "SIGKILL (signal 9), by the launcher: it was stopped" in report


def test_recorded_errors(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    """What the main function of a rank raises is in the report."""
    text = (
        "from specgrad.distributed.elastic.multiprocessing.errors import record\n"
        "@record\ndef main():\n    raise KeyError('weights')\nmain()\n"
    )
    assert main(["-n", "1", write(text)]) == 1
    assert "error     : KeyError: 'weights'" in capfd.readouterr().err


@contextlib.contextmanager
def _running(folder: Path, program: str) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A launcher in a process of its own, and the processes of its two ranks and of what they have started."""
    command = [sys.executable, "-m", "specgrad.distributed.run", "-n", "2", program, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as launcher:
        try:
            _wait(lambda: len([*folder.glob("*.json")]) == 2)
            yield launcher, [number for path in folder.glob("*.json") for number in json.loads(path.read_text())]
        finally:
            launcher.kill()


def _wait(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(("number", "status"), [("SIGTERM", 143), ("SIGKILL", -9)])
def test_a_launcher_that_is_ended(write: Write, tmp_path: Path, number: str, status: int) -> None:
    """Its ranks, and what they have started, end with it, however it ends."""
    folder = tmp_path / "processes"
    folder.mkdir()
    program = write(
        "import json, pathlib, subprocess\n"
        "child = subprocess.Popen(['sleep', '200'])\n"
        "path = pathlib.Path(sys.argv[1], f'{rank}.new')\n"
        "path.write_text(json.dumps([os.getpid(), child.pid]))\n"
        "path.rename(path.with_suffix('.json'))\n"
        "time.sleep(200)\n"
    )
    with _running(folder, program) as (launcher, processes):
        assert len(processes) == 4 and all(alive(process) for process in processes)
        launcher.send_signal(getattr(signal, number))
        assert launcher.wait(SOON) == status
        _wait(lambda: not any(alive(process) for process in processes))


def test_options() -> None:
    """PyTorch's options are known, with hyphens and underscores."""
    found = parsed(["--nproc_per_node=cpu", "--standalone", "--nnodes", "1", "--max_restarts=2", "-m", "x.y", "-z"])
    assert found.min_nodes == found.max_nodes >= 1 and found.max_restarts == 2
    assert found.command == [sys.executable, "-u", "-m", "x.y", "-z"]
    for wrong in (["-n", "3:2", "x"], ["-n", "0", "x"], ["--nnodes", "2", "x"], ["--tee", "3", "x"], ["-t", "4", "x"]):
        with pytest.raises(SystemExit):
            parsed(wrong)


def test_where_ranks_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's options for it become MASTER_ADDR and MASTER_PORT; the environment's are the defaults."""
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    monkeypatch.delenv("MASTER_PORT", raising=False)

    def found(*options: str) -> tuple[str, int | None]:
        result = parsed([*options, "x.py"])
        return result.master_addr, result.master_port

    assert found() == ("127.0.0.1", 29500)
    assert found("--standalone") == ("127.0.0.1", 0)
    assert found("--master-addr", "localhost", "--master_port=1") == ("localhost", 1)
    rendezvous = ["--node_rank=0", "--rdzv-backend", "c10d", "--rdzv_id=100"]
    assert found(*rendezvous, "--rdzv_endpoint=[::1]:29400") == ("::1", 29400)
    monkeypatch.setenv("MASTER_PORT", "5")
    assert found("--rdzv-endpoint", "host") == ("host", 5)


def test_launch(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    """`launch` gives programs their local rank as an argument too, unless they read the environment's."""
    program = write("print(rank, sys.argv[1:], os.environ['MASTER_PORT'] != '0')\n")
    assert main(["--nproc-per-node", "2", "--master-port=0", program, "a"], launch=True) == 0
    out = capfd.readouterr().out
    assert sorted(out.splitlines()) == ["0 ['--local-rank=0', 'a'] True", "1 ['--local-rank=1', 'a'] True"]
    assert parsed(["--use_env", "x.py", "a"], launch=True).command == [sys.executable, "-u", "x.py", "a"]


def test_several_machines(capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence says how programs are started on them."""
    for wrong, reason in (["--nnodes=2"], "the ranks of one machine are started; on several,"), (["-n", "gpu"], "CUDA"):
        with pytest.raises(SystemExit):
            parsed([*wrong, "x.py"])
        assert reason in capsys.readouterr().err
