"""The files that a profiler writes: traces for chrome://tracing and Perfetto, stacks for flame graphs."""

import gzip
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.profiler import profile, record_function, tensorboard_trace_handler
from tests.repository import ROOT


def trace_of(program: Callable[[], Any], path: Path, **options: Any) -> list[dict[str, Any]]:
    """The entries of the trace of a program."""
    with profile(**options) as prof:
        program()
    prof.export_chrome_trace(path)
    trace = json.loads(path.read_text(encoding="utf-8"))
    assert trace["schemaVersion"] == 1 and trace["baseTimeNanoseconds"] > 0
    return trace["traceEvents"]


def entries(trace: list[dict[str, Any]], phase: str, name: str = "") -> list[dict[str, Any]]:
    return [entry for entry in trace if entry["ph"] == phase and entry["name"].startswith(name)]


def test_trace_has_every_event(tmp_path: Path) -> None:
    """A complete event for each, with times in microseconds, process and thread, and what is known of it."""
    x = sg.ones(2, 3, requires_grad=True)

    def program() -> None:
        with record_function("range", "said of it"):
            (x * 2).sum().backward()

    trace = trace_of(program, tmp_path / "trace.json", record_shapes=True, with_stack=True, profile_memory=True)
    for entry in entries(trace, "X"):
        assert entry["pid"] == os.getpid() and entry["tid"] == threading.get_native_id()
        assert entry["ts"] >= 0 and entry["dur"] >= 0
    (chosen,) = entries(trace, "X", "range")
    assert chosen["cat"] == "user_annotation" and chosen["args"]["Args"] == "said of it"
    mul = entries(trace, "X", "aten::mul")[0]
    assert mul["cat"] == "cpu_op"
    assert mul["args"]["Input Dims"] == [[2, 3], []] and mul["args"]["Input Strides"] == [[3, 1], []]
    assert mul["args"]["Input type"] == ["float32", "Scalar"] and mul["args"]["Concrete Inputs"] == ["", "2"]
    assert mul["args"]["Overload"] and mul["args"]["Self bytes"] == 24
    assert "program" in mul["args"]["Call stack"]


def test_trace_names_the_entry_of_the_spec(tmp_path: Path) -> None:
    """Of an op, of its in-place form and of its node: the line of the entry in the spec, and the schema."""
    x = sg.ones(2, requires_grad=True)
    y = sg.ones(2)
    trace = trace_of(lambda: ((x * y).sum().backward(), y.mul_(2)), tmp_path / "trace.json")
    spec = (ROOT / "derivatives.yaml").read_text(encoding="utf-8").split("\n")
    for name in ("aten::mul", "aten::mul_", "MulBackward0"):
        arguments = [entry for entry in entries(trace, "X") if entry["name"] == name][0]["args"]
        file, line = arguments["Spec"].split(":")
        assert file == "derivatives.yaml" and spec[int(line) - 1].startswith("- name: mul.Tensor(")
        assert arguments["Schema"].startswith("mul.Tensor(Tensor self")


def test_arrows_lead_from_ops_to_their_nodes(tmp_path: Path) -> None:
    """A start and a finish of the same id, the node's sequence number, at the beginnings of the two events."""
    x = sg.ones(3, requires_grad=True)
    trace = trace_of(lambda: (x.sin() * x).sum().backward(), tmp_path / "trace.json")
    starts, ends = ({e["id"]: e for e in entries(trace, phase)} for phase in "sf")
    assert starts.keys() == ends.keys() and len(starts) == 3
    for op, node in (("aten::sin", "SinBackward0"), ("aten::mul", "MulBackward0"), ("aten::sum", "SumBackward0")):
        first, second = entries(trace, "X", op)[0], entries(trace, "X", node)[0]
        number = first["args"]["Sequence number"]
        assert number == second["args"]["Sequence number"]
        assert (starts[number]["ts"], starts[number]["tid"]) == (first["ts"], first["tid"])
        assert (ends[number]["ts"], ends[number]["bp"]) == (second["ts"], "e")


def test_each_backward_pass_has_its_arrows(tmp_path: Path) -> None:
    """A graph that backward goes through twice has two arrows from the op, which are told apart."""
    x = sg.ones(3, requires_grad=True)

    def program() -> None:
        y = x.sin().sum()
        y.backward(retain_graph=True)
        y.backward()

    trace = trace_of(program, tmp_path / "trace.json")
    for phase in "sf":
        names = [entry["id"] for entry in entries(trace, phase)]
        assert len(names) == len(set(names)) == 4


def test_threads_have_rows(tmp_path: Path) -> None:
    """Each thread's events are under its own number, which has the thread's name."""

    def program() -> None:
        sg.ones(2).sin()
        thread = threading.Thread(target=lambda: sg.ones(2).cos(), name="helper")
        thread.start()
        thread.join()

    trace = trace_of(program, tmp_path / "trace.json")
    named = {entry["tid"]: entry["args"]["name"] for entry in entries(trace, "M", "thread_name")}
    assert named[entries(trace, "X", "aten::cos")[0]["tid"]] == "thread 2 (helper)"
    assert entries(trace, "X", "aten::sin")[0]["tid"] == threading.get_native_id()


def test_memory_is_in_the_trace(tmp_path: Path) -> None:
    """An entry for every change; the totals are the sums of the changes before."""
    x = sg.ones(100)

    def program() -> None:
        y = x.sin()
        del y
        x.cos().exp()

    changes = entries(trace_of(program, tmp_path / "trace.json", profile_memory=True), "i", "[memory]")
    assert [change["args"]["Bytes"] for change in changes] == [400, -400, 400, 400, -400, -400]
    assert [change["args"]["Total Allocated"] for change in changes] == [400, 0, 400, 800, 400, 0]


def test_compressed_and_described(tmp_path: Path) -> None:
    """A name in `.gz` compresses; what was added as metadata is in the file; a list of events writes its own trace."""
    with profile() as prof:
        prof.add_metadata("who", "me")
        prof.add_metadata_json("numbers", "[1, 2]")
        sg.ones(2).sin()
    path = tmp_path / "trace.json.gz"
    prof.events().export_chrome_trace(str(path))
    trace = json.loads(gzip.decompress(path.read_bytes()))
    assert (trace["who"], trace["numbers"]) == ("me", [1, 2])
    assert len(entries(trace["traceEvents"], "X", "aten::sin")) == 1


def test_handler_writes_a_file_per_trace(tmp_path: Path) -> None:
    """tensorboard_trace_handler makes the folder and names the files as TensorBoard's plugin expects."""
    x = sg.ones(2)
    for zipped, ending in ((False, ".pt.trace.json"), (True, ".pt.trace.json.gz")):
        folder = tmp_path / "logs" / ending
        plan = sg.profiler.schedule(wait=0, warmup=1, active=1, repeat=2)
        with profile(schedule=plan, on_trace_ready=tensorboard_trace_handler(folder, "worker", zipped)) as prof:
            for _ in range(4):
                x.sin()
                prof.step()
        names = sorted(path.name for path in folder.iterdir())
        assert len(names) == 2 and all(n.startswith("worker.") and n.endswith(ending) for n in names)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(RuntimeError, match="Can't create directory"),
        profile(on_trace_ready=tensorboard_trace_handler(tmp_path / "file" / "logs")),
    ):
        x.sin()


def test_stacks_for_flame_graphs(tmp_path: Path) -> None:
    """A line per place, outermost frame first, without blanks in it, and the microseconds spent there."""
    x = sg.ones(100_000)

    def inner() -> None:
        x.sin()

    with profile(with_stack=True) as prof:
        inner()
        inner()
    path = tmp_path / "stacks"
    prof.export_stacks(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2  # called from two lines
    for line in lines:
        stack, time = line.rsplit(" ", 1)
        assert int(time) > 0 and stack.split(";")[-1] == "aten::sin" and "_inner" in stack.split(";")[-2]
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(path, "speed")
