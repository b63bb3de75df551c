"""Stores: what PyTorch's do, by threads and processes at once, and with others that end or talk nonsense."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg
from tests.patience import PATIENCE
from tests.repository import ROOT

KINDS = ["hash", "file", "tcp", "prefix"]


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, lib: ModuleType, tmp_path: Path) -> Any:
    """A store of each kind."""
    return made(lib, request.param, tmp_path)


def made(lib: ModuleType, kind: str, folder: Path) -> Any:
    """A store of a kind."""
    distributed = lib.distributed
    if kind == "file":
        return distributed.FileStore(str(folder / "store"), 1)
    if kind == "tcp":
        return distributed.TCPStore("127.0.0.1", 0, 1, True)
    return distributed.PrefixStore("part", distributed.HashStore()) if kind == "prefix" else distributed.HashStore()


def test_values(store: Any) -> None:
    """Texts and bytes come back as bytes; a second value takes the place of the first."""
    store.set("a", "first")
    store.set("a", "ä")
    store.set("b", b"\x00\xff")
    store.set("empty", "")
    assert [store.get(key) for key in ("a", "b", "empty")] == ["ä".encode(), b"\x00\xff", b""]
    assert store.check(["a", "b"]) and not store.check(["a", "c"])
    assert {"a", "b", "empty"} <= set(store.list_keys())


def test_counters(store: Any) -> None:
    """A counter begins at 0, and is a value of digits; so is a value of digits a counter."""
    assert [store.add("n", 3), store.add("n", -5), store.add("new", 0)] == [3, -2, 0]
    assert store.get("n") == b"-2"
    store.set("text", "40")
    assert store.add("text", 2) == 42


def test_comparing(store: Any) -> None:
    """A value is set where the expected one stands, or none and none is expected; what stands then comes back."""
    assert store.compare_set("c", "", "new") == b"new"
    assert store.compare_set("c", "other", "last") == b"new"
    assert store.compare_set("c", "new", "last") == b"last"
    assert store.compare_set("missing", "other", "last") == b"other"


def test_several_values(store: Any) -> None:
    """Several keys at once, values that grow, and keys that go."""
    store.multi_set(["x", "y"], ["1", "2"])
    assert store.multi_get(["y", "x"]) == [b"2", b"1"]
    store.append("po", "po")
    store.append("po", "tato")
    assert store.get("po") == b"potato"
    assert [store.delete_key("po"), store.check(["po"]), store.delete_key("never")] == [True, False, False]


@pytest.mark.parametrize("kind", ["hash", "tcp", "prefix"])
def test_queues(lib: ModuleType, kind: str, tmp_path: Path) -> None:
    """First in, first out; a queue that is empty is an error where nobody waits for it."""
    store = made(lib, kind, tmp_path)
    store.queue_push("q", "first")
    store.queue_push("q", "second")
    assert [store.queue_len("q"), store.queue_pop("q"), store.queue_pop("q"), store.queue_len("q")] == [
        2,
        b"first",
        b"second",
        0,
    ]
    with pytest.raises(lib.distributed.QueueEmptyError, match="queue is empty"):
        store.queue_pop("q", False)


def test_nobody_comes(store: Any) -> None:
    """What waits for a key ends with its own time, or the store's."""
    begun = time.monotonic()
    with pytest.raises(RuntimeError, match=r"[Ww]ait timeout"):
        store.wait(["missing"], timedelta(milliseconds=60))
    store.set_timeout(timedelta(milliseconds=80))
    assert store.timeout == timedelta(milliseconds=80)
    store.set("there", "1")
    for call in (lambda: store.get("missing"), lambda: store.wait(["there", "missing"])):
        with pytest.raises(RuntimeError, match=r"[Tt]imeout"):
            call()
    assert 0.2 < time.monotonic() - begun < PATIENCE
    store.wait(["there"])


def test_another_thread_comes(store: Any) -> None:
    """A thread that waits goes on when another one sets the key, through its own connection."""
    other = store.clone()
    found: list[bytes] = []
    waiting = threading.Thread(target=lambda: found.append(store.get("late")))
    waiting.start()
    time.sleep(0.05)
    other.set("late", "here")
    waiting.join(PATIENCE)
    assert found == [b"here"]


def test_threads_meet(store: Any) -> None:
    """Nobody passes a barrier before all have come."""
    order: list[str] = []

    def come(mine: Any) -> None:
        mine.barrier("all", 2, timedelta(seconds=PATIENCE))
        order.append("passed")

    threads = [threading.Thread(target=come, args=(store.clone(),)) for _ in range(2)]
    threads[0].start()
    time.sleep(0.05)
    order.append("second")
    threads[1].start()
    for thread in threads:
        thread.join(PATIENCE)
    assert order == ["second", "passed", "passed"]


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.set(1, "x"),
        lambda s: s.set("x", 3),
        lambda s: s.add("x", "4"),
        lambda s: s.wait("x"),
        lambda s: s.check("x"),
        lambda s: s.set_timeout(3),
        pickle.dumps,
    ],
)
def test_wrong_arguments(store: Any, call: Callable[[Any], Any]) -> None:
    """Keys are texts, values texts or bytes; a store is no thing to be pickled."""
    with pytest.raises(TypeError):
        call(store)


def test_prefixes(lib: ModuleType) -> None:
    """Keys of a part have its name before them in the whole."""
    full = lib.distributed.HashStore()
    part = lib.distributed.PrefixStore("a", lib.distributed.PrefixStore("b", full))
    part.set("key", "1")
    assert full.list_keys() == ["b/a/key"] and part.underlying_store.check(["a/key"])
    assert type(part._underlying_non_prefix_store) is type(full)
    with pytest.raises(TypeError):
        lib.distributed.PrefixStore("a", 3)


def test_store_of_a_program(lib: ModuleType) -> None:
    """A class with `set` and `get` is a store, also as a part."""

    class Own(lib.distributed.Store):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.values: dict[str, Any] = {}

        def set(self, key: str, value: Any) -> None:
            self.values[key] = value

        def get(self, key: str) -> Any:
            return self.values[key]

    own = Own()
    part = lib.distributed.PrefixStore("p", own)
    part.set("k", b"1")
    assert part.get("k") == b"1" and list(own.values) == ["p/k"]


def test_master_waits_for_others(lib: ModuleType) -> None:
    """The master's store is there when all are connected, or not at all."""
    seconds = timedelta(seconds=1)
    with pytest.raises(lib.distributed.DistStoreError, match="1/2 clients joined"):
        lib.distributed.TCPStore("127.0.0.1", 0, 2, True, seconds)
    alone = lib.distributed.TCPStore("127.0.0.1", 0, 2, True, seconds, wait_for_workers=False)
    assert alone.host == "127.0.0.1" and alone.port > 0
    shared = lib.distributed.TCPStore("127.0.0.1", 0, 1, True, seconds, multi_tenant=True)
    same = lib.distributed.TCPStore("127.0.0.1", shared.port, 1, True, seconds, multi_tenant=True)
    shared.set("key", "1")
    assert same.get("key") == b"1"
    with pytest.raises(lib.distributed.DistNetworkError):
        lib.distributed.TCPStore("127.0.0.1", shared.port, 1, True, seconds)


def test_no_server(lib: ModuleType) -> None:
    """A port where nobody listens, and a server that ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(lib.distributed.DistNetworkError, match="timed out after 300ms"):
        lib.distributed.TCPStore("127.0.0.1", port, 2, False, timedelta(milliseconds=300))
    master = lib.distributed.TCPStore("127.0.0.1", 0, None, True)
    client = lib.distributed.TCPStore("127.0.0.1", master.port, None, False)
    client.set("key", "1")
    del master
    gc.collect()
    with pytest.raises(lib.distributed.DistNetworkError):
        for _ in range(100):
            client.get("key")


@pytest.fixture
def server() -> Iterator[Any]:
    """specgrad's server, which must answer at the end as at the beginning."""
    store = sg.distributed.TCPStore("127.0.0.1", 0, 1, True)
    store.set("key", "1")
    yield store
    assert store.get("key") == b"1" and sg.distributed.TCPStore("127.0.0.1", store.port).get("key") == b"1"


@pytest.mark.parametrize(
    "talk",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"specgrad store 1\n" + b"\xff" * 64,
        b"specgrad store 1\n\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff",
        b"specgrad store 1\n\0\0\0\1\0\0\0\0\0\0\0\3n",
        b"",
    ],
)
def test_nonsense_on_the_port(server: Any, talk: bytes) -> None:
    """Who is no store, or stops in the middle, is left alone: no memory is taken for what is only announced."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as other:
        other.sendall(talk)
        other.shutdown(socket.SHUT_WR)
        answer = b""
        while part := other.recv(100):
            answer += part
        assert answer in (b"", b"specgrad store 1\n")


def test_errors_come_from_the_server(server: Any) -> None:
    """A wrong call is the caller's error, and the next one is answered; large values pass."""
    with pytest.raises(ValueError, match="no integer"):
        server.set("word", "w")
        server.add("word", 1)
    large = os.urandom(3 << 20)
    server.set("large", large)
    assert server.get("large") == large


def test_interrupted_wait(server: Any) -> None:
    """Whoever is interrupted within a call has no answer of it: the connection ends, and says so."""
    client = sg.distributed.TCPStore("127.0.0.1", server.port)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        client.get("missing")
    signal.signal(signal.SIGALRM, before)
    with pytest.raises(sg.distributed.DistNetworkError, match="does not answer any more"):
        client.get("key")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_forked_processes(server: Any, tmp_path: Path) -> None:
    """A process that is forked does not use, and by ending does not end, what its parent has."""
    file = sg.distributed.FileStore(str(tmp_path / "store"), 1)
    child = os.fork()
    if not child:
        try:
            server.get("key")
        except sg.distributed.DistNetworkError:
            del server, file
            gc.collect()
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert Path(file.path).exists()


COUNTING = """
import sys
from specgrad import distributed
kind, where, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = distributed.FileStore(where) if kind == "file" else distributed.TCPStore("127.0.0.1", int(where))
assert "mpi4py" not in sys.modules
store.set(f"ready {store.add('rank', 1)}", "")
store.wait(["go"])
for _ in range(times):
    store.add("count", 1)
    store.append("text", "ab")
store.add("done", 1)
"""


@pytest.mark.parametrize("kind", ["file", "tcp"])
def test_processes_count(kind: str, tmp_path: Path) -> None:
    """No addition of any process is lost, whoever comes between."""
    store = made(sg, kind, tmp_path)
    where = store.path if kind == "file" else str(store.port)
    command = [sys.executable, "-c", COUNTING, kind, where, "200"]
    processes = [subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}) for _ in range(3)]
    store.set_timeout(timedelta(seconds=60))
    store.wait([f"ready {rank}" for rank in (1, 2, 3)])
    store.set("go", "")
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert [store.get("count"), store.get("text"), store.get("done")] == [b"600", b"ab" * 600, b"3"]


def test_file_that_was_not_written_to_its_end(tmp_path: Path) -> None:
    """What somebody who was killed has written of a line is dropped; what is no store's file is not touched."""
    path = tmp_path / "store"
    first = sg.distributed.FileStore(str(path))
    first.set("a", "1")
    full = path.read_bytes()
    first.set("b", "22")
    path.write_bytes(path.read_bytes()[:-1])
    second = sg.distributed.FileStore(str(path))
    assert second.list_keys() == ["a"] and path.read_bytes() == full
    second.set("c", "3")
    assert sg.distributed.FileStore(str(path)).list_keys() == ["a", "c"]
    other = tmp_path / "letter"
    other.write_bytes(b"Dear reader, this is no store. " * 9)
    with pytest.raises(sg.distributed.DistStoreError, match="no store's file"):
        sg.distributed.FileStore(str(other))
    assert other.read_bytes() == b"Dear reader, this is no store. " * 9


def test_file_goes_with_the_last(tmp_path: Path) -> None:
    """The file is there as long as one of `world_size` stores is; without a number it stays."""
    path = tmp_path / "store"
    stores = [sg.distributed.FileStore(str(path), 2) for _ in range(2)]
    stores.pop()
    gc.collect()
    assert path.exists()
    stores.pop()
    gc.collect()
    assert not path.exists()
    sg.distributed.FileStore(str(path)).set("a", "1")
    gc.collect()
    assert path.exists()
