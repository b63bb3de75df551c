"""Traces of ranks: what is in them, clocks, and how much of communication was hidden."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from specgrad.runtime.extensions.distributed.launcher import mpiexec
from specgrad.runtime.extensions.distributed.trace.merge import Call, corrected, main, merged, overlap, read, union
from tests.extensions.distributed.test_on_mpi import run

PROGRAM = """
import sys
import specgrad as torch
import specgrad.distributed as dist
from specgrad import nn
from specgrad.distributed import timeline
from specgrad.profiler import profile

folder = sys.argv[1]
dist.init_process_group("mpi")
layers = [layer for _ in range(4) for layer in (nn.Linear(400, 400), nn.Tanh())]
model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers))
x = torch.randn(64, 400)
for number in range(3):
    model(x).sum().backward()
with profile() as prof:
    model(x).sum().backward()
names = [event.name for event in prof.events() if event.is_async]
assert names == ["mpi:all_reduce"] * 5, names
assert all(event.self_cpu_time_total == 0 < event.cpu_time_total for event in prof.events() if event.is_async)
prof.export_chrome_trace(f"{folder}/{dist.get_rank()}.json")
found = timeline.export(prof, f"{folder}/all.json.gz")
if dist.get_rank() == 0:
    assert [one.rank for one in found] == [0, 1] and all(0 < one.share < 1 for one in found)
with profile() as prof:
    x.sum()
prof.export_chrome_trace(f"{folder}/none{dist.get_rank()}.json")
dist.destroy_process_group()
"""


def _spans(events: list[dict[str, Any]], rank: int, category: str, name: str = "") -> list[tuple[float, float]]:
    chosen = [one for one in events if one["ph"] == "X" and (one["pid"], one["cat"]) == (rank, category)]
    return [(one["ts"], one["ts"] + one["dur"]) for one in chosen if one["name"].startswith(name)]


def test_the_timeline_of_a_step(tmp_path: Path) -> None:
    """On each rank, all_reduces of buckets are under way while backward nodes run; both ways to one file agree."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = run(mpiexec(), "-n", "2", sys.executable, str(script), str(tmp_path))
    assert done.returncode == 0, done.stderr
    every = json.loads(gzip.decompress((tmp_path / "all.json.gz").read_bytes()))
    files = [str(tmp_path / f"{rank}.json") for rank in (1, 0)]
    command = run(sys.executable, "-m", "specgrad.distributed.timeline", str(tmp_path / "merged.json"), *files)
    assert command.returncode == 0, command.stderr
    assert [line.split()[0] for line in command.stdout.splitlines()] == ["rank", "0", "1"]
    _check_step(every["traceEvents"])
    _check_step(json.loads((tmp_path / "merged.json").read_text())["traceEvents"])
    with pytest.raises(ValueError, match="no calls between ranks say of which rank it is"):
        read(tmp_path / "none0.json")


def _check_step(events: list[dict[str, Any]]) -> None:
    calls = [one for one in events if one.get("cat") == "communication"]
    assert {one["pid"] for one in events} == {0, 1} and len(calls) == 10
    for one in calls:  # four matrices of 640 kB each by itself, and the biases together
        about = one["args"]
        assert about["dtype"] == "float32" and about["Process Group Ranks"] == [0, 1] and about["Rank"] == one["pid"]
        assert (about["Bytes"], about["Shapes"]) in [(640_000, [[160_000]]), (6_400, [[1_600]])]
    for rank in (0, 1):
        nodes = _spans(events, rank, "cpu_op", "LinearBackward")
        early = [span for span in _spans(events, rank, "communication") if any(span[0] < node[0] for node in nodes)]
        assert len(early) >= 3
        assert all(any(begin < node[1] and node[0] < end for node in nodes) for begin, end in early)
        assert _spans(events, rank, "wait") or _spans(events, rank, "progress")
    ends: dict[str, dict[int, tuple[float, float]]] = {}
    for one in calls:
        ends.setdefault(one["args"]["Call"], {})[one["pid"]] = (one["ts"], one["ts"] + one["dur"])
    for both in ends.values():  # nobody is done before the other has begun
        assert len(both) == 2 and both[0][0] <= both[1][1] and both[1][0] <= both[0][1]
    ids = [one["id"] for one in events if one["ph"] == "s"]
    assert len(set(ids)) == len(ids) > 10


def test_clocks() -> None:
    """A clock is moved as far as the order of calls says, and no further."""
    first = [Call(0, 10), Call(100, 110)]
    assert corrected([Call(2, 9), Call(103, 109)], first) == 0  # nothing speaks against it
    assert corrected([Call(52, 60), Call(150, 158)], first) == 42  # began at 52, so at most at 10 of the first's clock
    assert corrected([Call(-60, -50), Call(42, 50)], first) == -50
    assert corrected([Call(40, 41), Call(60, 61)], first) == (30 - 39) / 2  # it runs slower: the middle
    assert corrected([], []) == 0


def _event(category: str, begin: float, end: float) -> dict[str, Any]:
    return {"ph": "X", "cat": category, "name": "", "pid": 7, "tid": 1, "ts": begin, "dur": end - begin}


def test_overlap() -> None:
    """Of calls from 0 to 12 and 20 to 30: ops run in 2..9 and 22..25, of which 4..6 drives and 8..9 waits."""
    events = [
        *(_event("communication", *span) for span in ((0, 10), (5, 12), (20, 30))),
        *(_event("cpu_op", *span) for span in ((2, 9), (3, 4), (14, 16), (22, 25))),
        *(_event("progress", *span) for span in ((4, 6), (13, 15))),
        *(_event("wait", *span) for span in ((8, 9), (25, 40))),
    ]
    found = overlap(3, events)
    assert found == (3, 22, 7, 2, 6) and found.share == 7 / 22
    assert overlap(0, []).share == 1
    assert union([(3, 4), (0, 1), (1, 2), (5, 9), (6, 7)]) == [(0, 2), (3, 4), (5, 9)]


def _trace(rank: int, base: int) -> dict[str, Any]:
    name = {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 0, "args": {"name": "specgrad"}}
    return {
        "distributedInfo": {"rank": rank},
        "baseTimeNanoseconds": base,
        "traceEvents": [name, _event("cpu_op", 1, 2)],
    }


def test_times_in_one_file() -> None:
    """A rank whose clock is 3 us ahead and whose trace begins 5 us later by it: 2 us later."""
    found = merged([_trace(0, 10_000), _trace(1, 15_000)], [0, 3_000])
    assert [(one["pid"], one["ts"]) for one in found["traceEvents"] if one["ph"] == "X"] == [(0, 1), (1, 3)]
    assert [one["args"]["name"] for one in found["traceEvents"] if one["name"] == "process_name"] == [
        "rank 0",
        "rank 1",
    ]
    with pytest.raises(ValueError, match=r"several traces are of one rank: the files are of ranks \[1, 1\]"):
        merged([_trace(1, 0), _trace(1, 0)])


def test_other_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By name; nothing is written."""
    (tmp_path / "a.json").write_text("{}")
    assert main([str(tmp_path / "out.json"), str(tmp_path / "a.json")]) == 1
    assert "a.json is no trace of specgrad's profiler" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
