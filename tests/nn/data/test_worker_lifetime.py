"""When worker processes end, and when they stay."""

import gc
import multiprocessing
import os
import signal
from typing import Any

import pytest

from specgrad.utils.data import DataLoader
from tests.patience import PATIENCE, comes_true

from .examples import Numbers, Shares, gone, lists

pytestmark = pytest.mark.cpu("a forked process makes no tensors on a device")


def test_workers_end_with_the_iterator() -> None:
    """Dropping the iterator in the middle of a pass, or finishing the pass, ends the workers."""
    iterator: Any = iter(DataLoader(Numbers(100), num_workers=2))
    next(iterator)
    processes = [worker.process for worker in iterator.pool.workers]
    assert all(p.is_alive() for p in processes)
    del iterator
    gc.collect()
    assert gone(processes)
    iterator = iter(DataLoader(Numbers(2), num_workers=2))
    processes = [worker.process for worker in iterator.pool.workers]
    assert len(list(iterator)) == 2
    assert gone(processes)


def test_persistent_workers() -> None:
    """Persistent workers serve pass after pass, also after one that was left early, and end with the loader."""
    loader: Any = DataLoader(Numbers(6), num_workers=2, persistent_workers=True)
    assert lists(loader) == [[i] for i in range(6)]
    processes = [worker.process for worker in loader._pool.workers]
    early = iter(loader)
    assert next(early).item() == 0
    assert lists(loader) == [[i] for i in range(6)]
    with pytest.raises(StopIteration):
        next(early)
    assert [worker.process for worker in loader._pool.workers] == processes
    del loader, early
    gc.collect()
    assert gone(processes)


def test_persistent_iterable() -> None:
    """Each pass over an iterable dataset starts anew in persistent workers."""
    loader = DataLoader(Shares(3), num_workers=2, batch_size=None, persistent_workers=True)
    assert [list(loader) for _ in range(2)] == [[0, 1, 2], [0, 1, 2]]


def test_parent_that_is_killed_leaves_no_workers() -> None:
    """Workers end when their parent is gone without a word."""
    pids = multiprocessing.Queue()

    def parent() -> None:
        iterator: Any = iter(DataLoader(Numbers(100), num_workers=2))
        next(iterator)
        pids.put([worker.process.pid for worker in iterator.pool.workers])
        pids.close()
        pids.join_thread()
        os.kill(os.getpid(), signal.SIGKILL)

    process = multiprocessing.get_context("fork").Process(target=parent)
    process.start()
    found = pids.get(timeout=PATIENCE)
    process.join()
    assert comes_true(lambda: not any(_is_running(pid) for pid in found))


def _is_running(pid: int) -> bool:
    """Whether a process is there and no zombie; nobody may be left to collect orphans."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
