"""Files for other programs: traces for chrome://tracing, Perfetto and TensorBoard, stacks for flame graphs."""

import gzip
import json
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...dispatch.errors import entry_of
from .communication import distributed_info, in_lanes
from .events import finished
from .named_ranges import CALL, DRIVE, RANGE, WAIT
from .session import NODE, OP, Record, Session

Entry = dict[str, Any]


def write_trace(path: Any, sessions: Sequence[Session], metadata: dict[str, Any]) -> None:
    target = Path(path)
    data = json.dumps({**trace(sessions, metadata), "traceName": str(target)}).encode()
    target.write_bytes(gzip.compress(data) if target.suffix == ".gz" else data)


def trace(sessions: Sequence[Session], metadata: dict[str, Any]) -> Entry:
    return {**_heading(sessions), **metadata, "traceEvents": list(_entries(sessions))}


def _heading(sessions: Sequence[Session]) -> Entry:
    return {
        "schemaVersion": 1,
        "deviceProperties": [_device(index) for index in _devices(sessions)],
        "host_name": platform.node(),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": sessions[0].started_at,
        "record_shapes": int(any(record.inputs for record in sessions[0].records)),
        "profile_memory": int(sessions[0].tally is not None),
        **distributed_info(sessions),
    }


def _entries(sessions: Sequence[Session]) -> Iterator[Entry]:
    base = sessions[0].started
    yield _named("process_name", 0, "specgrad")
    tracks = {track.native_id: track for session in sessions for track in session.tracks}
    for track in tracks.values():
        yield _named("thread_name", track.native_id, f"thread {track.number} ({track.name})")
        yield {**_named("thread_sort_index", track.native_id, ""), "args": {"sort_index": track.number}}
    for index in _devices(sessions):
        yield {**_named("process_name", 0, f"CUDA {index}"), "pid": index}
    yield from _communication([record for session in sessions for record in finished(session)], base)
    for session in sessions:
        records = finished(session)
        yield from (entry for record in records if record.device_time for entry in _work(record, base))
        others = ((number, record) for number, record in enumerate(records) if record.kind != CALL)
        yield from (_event(record, base, **{"Ev Idx": number}) for number, record in others)
        yield from _arrows(records, base)
        for change in session.tally.changes if session.tally is not None else ():
            yield _memory(change, base)


def _devices(sessions: Sequence[Session]) -> list[int]:
    records = (record for session in sessions for record in finished(session))
    return sorted({record.device_time.device for record in records if record.device_time is not None})


def _device(index: int) -> Entry:
    from ...device.cuda.driver import driver  # loaded with the first device

    result = driver().properties(index)
    return {
        "id": index,
        "name": result.name,
        "totalGlobalMem": result.total_memory,
        "computeMajor": result.major,
        "computeMinor": result.minor,
        "numSms": result.multi_processor_count,
        "warpSize": result.warp_size,
        "maxThreadsPerBlock": result.max_threads_per_block,
    }


def _work(record: Record, base: int) -> Iterator[Entry]:
    timed = record.device_time
    assert timed is not None
    lane = {"pid": timed.device, "tid": timed.stream, "ts": (timed.start - base) / 1e3}
    arrow = {"cat": "ac2g", "name": "ac2g", "id": id(record)}
    about = {"device": timed.device, "stream": timed.stream, "correlation": id(record)}
    yield {"ph": "X", "cat": "kernel", "name": record.name, **lane, "dur": timed.duration, "args": about}
    yield {"ph": "s", **arrow, **_at(record, record.start, base)}
    yield {"ph": "f", "bp": "e", **arrow, **lane}


_FIRST_LANE = 2**22 + 1  # above all numbers of threads that systems give


def _communication(records: Iterable[Record], base: int) -> Iterator[Entry]:
    for number, lane in enumerate(in_lanes([record for record in records if record.kind == CALL])):
        row = _FIRST_LANE + number
        yield _named("thread_name", row, "communication")
        yield {**_named("thread_sort_index", row, ""), "args": {"sort_index": row}}
        yield from ({**_event(record, base), "tid": row} for record in lane)


_CATEGORIES = {CALL: "communication", RANGE: "user_annotation", WAIT: "wait", DRIVE: "progress"}


def _named(kind: str, thread: int, name: str) -> Entry:
    return {"ph": "M", "name": kind, "pid": os.getpid(), "tid": thread, "ts": 0, "args": {"name": name}}


def _event(record: Record, base: int, **about: Any) -> Entry:
    return {
        "ph": "X",
        "cat": _CATEGORIES.get(record.kind, "cpu_op"),
        "name": record.name,
        **_at(record, record.start, base),
        "dur": (record.end - record.start) / 1e3,
        "args": {**about, **_arguments(record)},
    }


def _at(record: Record, when: int, base: int) -> Entry:
    return {"pid": os.getpid(), "tid": record.track.native_id, "ts": (when - base) / 1e3}


def _arguments(record: Record) -> Entry:
    entry = None if record.described is None else entry_of(*record.described)
    results = {
        "Overload": record.overload,
        "Spec": entry and entry.where,
        "Schema": entry and entry.schema,
        "Input Dims": [a.dims for a in record.inputs],
        "Input Strides": [a.strides for a in record.inputs],
        "Input type": [a.type for a in record.inputs],
        "Concrete Inputs": [a.text for a in record.inputs],
        "Self bytes": record.bytes,
        "Call stack": ";".join(record.stack),
        "Args": record.note,
    }
    if record.sequence >= 0:
        results["Sequence number"] = record.sequence
    return {**{name: value for name, value in results.items() if value or name == "Sequence number"}, **record.about}


def _arrows(records: Sequence[Record], base: int) -> Iterator[Entry]:
    """From each op to each time that backward ran its node; the first arrow's id is the node's sequence number."""
    ops: dict[int, Record] = {}
    flow_ids: dict[int, int] = {}
    for record in records:
        if record.kind == OP and record.sequence >= 0:
            ops[record.sequence] = record
        elif record.kind == NODE and record.sequence in ops:
            sequence = record.sequence
            times = flow_ids[sequence] = flow_ids.get(sequence, 0) + 1
            name: Any = sequence if times == 1 else f"{sequence}.{times}"
            arrow = {"cat": "fwdbwd", "name": "fwdbwd", "id": name}
            op = ops[sequence]
            yield {"ph": "s", **arrow, **_at(op, op.start, base)}
            yield {"ph": "f", "bp": "e", **arrow, **_at(record, record.start, base)}


def _memory(change: Any, base: int) -> Entry:
    return {
        "ph": "i",
        "s": "t",
        "cat": "cpu_instant_event",
        "name": "[memory]",
        "pid": os.getpid(),
        "tid": change.thread,
        "ts": (change.when - base) / 1e3,
        "args": {"Addr": change.address, "Bytes": change.size, "Total Allocated": change.total, "Device Type": 0},
    }


def tensorboard_trace_handler(
    dir_name: Any, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[Any], None]:
    """A handler for `profile(on_trace_ready=...)` that writes `worker.time.pt.trace.json` for each trace.

    TensorBoard's profiler plugin reads such a folder, and chrome://tracing each file.

    Args:
        dir_name: the folder; it is made if it is not there.
        worker_name: what the files' names begin with; host and process when left out.
        use_gzip: whether the files are compressed, with names in `.gz`.

    Raises:
        RuntimeError: the folder cannot be made.

    Example:
        >>> import specgrad as sg, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with sg.profiler.profile(on_trace_ready=sg.profiler.tensorboard_trace_handler(folder, "me")):
        ...         y = sg.ones(2).exp()
        ...     [name.split(".")[0] for name in os.listdir(folder)]
        ['me']
    """
    worker = worker_name or f"{platform.node()}_{os.getpid()}"

    def write(profiler: Any) -> None:
        folder = Path(dir_name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RuntimeError(f"Can't create directory: {dir_name}") from error
        ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        profiler.export_chrome_trace(folder / f"{worker}.{time.time_ns()}{ending}")

    return write


METRICS = ("self_cpu_time_total",)


def write_stacks(path: Any, events: Iterable[Any], metric: str) -> None:
    if metric not in METRICS:
        raise ValueError(f"metric should be one of: {', '.join(METRICS)}, but got {metric!r}")
    sums: Counter[str] = Counter()
    for event in events:
        if event.stack:
            lines = [line.replace(" ", "_").replace(";", ",") for line in (event.name, *event.stack)]
            sums[";".join(reversed(lines))] += int(getattr(event, metric))
    Path(path).write_text("".join(f"{stack} {time}\n" for stack, time in sums.items() if time > 0), encoding="utf-8")
