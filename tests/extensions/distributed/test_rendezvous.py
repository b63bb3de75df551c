"""Ranks that nothing has started together: how they meet, and what MPI is answered. No MPI is needed."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from specgrad.distributed import FileStore, HashStore, Store, TCPStore
from specgrad.runtime.extensions.distributed import rendezvous
from specgrad.runtime.extensions.distributed.groups.errors import DistStoreError
from specgrad.runtime.extensions.distributed.rendezvous import _LAUNCHERS, meeting
from tests.patience import PATIENCE

LONG, SHORT = timedelta(seconds=PATIENCE), timedelta(seconds=0.1)
KNOWN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "PMI_FD", "PMI_SIZE", *_LAUNCHERS)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a process which no launcher has started."""
    for name in KNOWN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(rendezvous, "_of_process", None)


def other_rank(store: Store) -> None:
    """Let rank 1 come, which puts a key of MPI's and waits at its first barrier."""
    store.set("specgrad/mpi/rank 1", "1")
    store.set("specgrad/mpi/key hostname[1]", "there")
    store.add("specgrad/mpi/barrier 1/arrived", 1)


def test_what_mpi_is_answered() -> None:
    """The conversation of MPI_Init, as RFC 13 of Flux has it; the name of the job is one of its own."""
    store = HashStore()
    other_rank(store)
    with meeting(None, store, 0, 2, LONG):
        assert (os.environ["PMI_RANK"], os.environ["PMI_SIZE"]) == ("0", "2")
        with os.fdopen(os.dup(int(os.environ["PMI_FD"])), "r+b", buffering=0) as descriptor:

            def ask(command: str) -> str:
                descriptor.write(f"cmd={command}\n".encode())
                return descriptor.readline().decode().strip()

            assert (
                ask("init pmi_version=1 pmi_subversion=1") == "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1"
            )
            assert ask("get_maxes") == "cmd=maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024"
            assert ask("get_appnum") == "cmd=appnum rc=0 appnum=0"
            name = ask("get_my_kvsname").partition("kvsname=")[2]
            assert 16 < len(name) < 64
            assert ask(f"get kvsname={name} key=PMI_process_mapping") == "cmd=get_result rc=-1"
            assert ask(f"put kvsname={name} key=hostname[0] value=a=b") == "cmd=put_result rc=0"
            assert ask("barrier_in") == "cmd=barrier_out rc=0"
            assert ask(f"get kvsname={name} key=hostname[0]") == "cmd=get_result rc=0 value=a=b"
            assert ask(f"get kvsname={name} key=hostname[1]") == "cmd=get_result rc=0 value=there"
            assert ask("spawn") == "cmd=spawn_result rc=-1"
    with meeting(None, None, 0, 2, SHORT):  # they know each other
        assert "PMI_FD" not in os.environ
    assert "PMI_FD" not in os.environ and "PMI_RANK" not in os.environ


@pytest.mark.parametrize("way", ["env", "tcp", "file"])
def test_places_to_meet(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment, an address and a file; rank and size are arguments, in the query, or in the environment."""
    server = TCPStore("127.0.0.1", 0, is_master=True, multi_tenant=True)
    monkeypatch.setenv("MASTER_ADDR", server.host)
    monkeypatch.setenv("MASTER_PORT", str(server.port))
    monkeypatch.setenv("WORLD_SIZE", "2")
    if way == "file":
        other_rank(FileStore(str(tmp_path / "store")))
    else:
        other_rank(server)
    urls = {"env": None, "tcp": f"tcp://127.0.0.1:{server.port}?rank=0", "file": f"file://{tmp_path}/store"}
    with meeting(urls[way], None, -1 if way == "tcp" else 0, -1 if way == "env" else 2, LONG):
        assert os.environ["PMI_SIZE"] == "2"


def test_ranks_that_do_not_come() -> None:
    """The error names them, and a rank that comes twice."""
    store = HashStore()
    store.set("specgrad/mpi/rank 2", "1")
    message = r"^\[rank 0\] init_process_group\(\): ranks 1, 3 of 4 did not come in 0.1 s$"
    with pytest.raises(DistStoreError, match=message), meeting(None, store, 0, 4, SHORT):
        pass
    message = r"^init_process_group\(\): two processes have come as rank 2 of 4$"
    with pytest.raises(ValueError, match=message), meeting(None, store, 2, 4, SHORT):
        pass


def test_what_is_missing() -> None:
    """As in PyTorch, errors name the variable, the url and the rank."""
    wrong = {
        (None, 1): "environment variable MASTER_ADDR expected, but not set",
        ("http://a:1", 1): "expected init_method env://, tcp://HOST:PORT or file:///PATH, got http://a:1",
        ("tcp://a", 1): "expected init_method env://, tcp://HOST:PORT or file:///PATH, got tcp://a",
        (None, -1): "rank -1 is not one of 2 ranks: expected 0 to 1",
    }
    for (url, rank), message in wrong.items():
        with pytest.raises(ValueError, match=message), meeting(url, None, rank, 2, SHORT):
            pass


def test_ranks_of_a_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of mpiexec know each other, and one rank needs nobody."""
    with meeting(None, None, 0, 1, SHORT), meeting(None, None, -1, -1, SHORT):
        assert "PMI_FD" not in os.environ
    monkeypatch.setenv("PMI_RANK", "1")
    with meeting(None, None, 1, 2, SHORT):
        assert os.environ["PMI_RANK"] == "1" and "PMI_FD" not in os.environ
