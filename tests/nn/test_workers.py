"""DataLoader with worker processes: order, random numbers, failures, ends."""

import gc
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info


class Numbers(Dataset[Any]):
    """0, 1, ... n - 1, with a task for some indices."""

    def __init__(self, n: int, act: Any = None) -> None:
        self.n = n
        self.act = act

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> Any:
        return index if self.act is None else self.act(index)


class Shares(IterableDataset[int]):
    """Worker w of k gives w, w + k, w + 2k, ... below n."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        assert info is not None
        return iter(range(info.id, self.n, info.num_workers))


def _lists(loader: Any) -> list[Any]:
    return [batch.tolist() for batch in loader]


def _gone(processes: list[Any]) -> bool:
    deadline = time.monotonic() + 10
    while any(p.is_alive() for p in processes) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(p.is_alive() for p in processes)


@pytest.mark.parametrize("workers", [1, 3])
def test_order_is_preserved(workers: int) -> None:
    """Batches come in order, also when later ones are ready first."""

    def act(index: int) -> int:
        time.sleep(0.02 if index % 4 == 0 else 0)
        return index

    loader = DataLoader(Numbers(20, act), batch_size=3, num_workers=workers)
    assert _lists(loader) == _lists(DataLoader(Numbers(20), batch_size=3))


@pytest.mark.parametrize("dataset", [TensorDataset(sg.arange(40).reshape(20, 2)), Numbers(20)])
def test_number_of_workers_does_not_change_the_order(dataset: Any) -> None:
    """With one seed, shuffled batches are the same with and without workers."""

    def batches(workers: int) -> list[Any]:
        sg.manual_seed(3)
        loader = DataLoader(dataset, batch_size=4, shuffle=True, num_workers=workers)
        return [[x.tolist() for x in b] if isinstance(b, list) else b.tolist() for _ in range(2) for b in loader]

    assert batches(0) == batches(2)


def test_iterable_in_turn() -> None:
    """Workers give their shares in turn; one that ends first is left out."""
    assert _lists(DataLoader(Shares(7), batch_size=2, num_workers=2)) == [[0, 2], [1, 3], [4, 6], [5]]
    assert _lists(DataLoader(Shares(1), batch_size=2, num_workers=3)) == [[0]]
    assert list(DataLoader(Shares(4), batch_size=None, num_workers=2)) == [0, 1, 2, 3]


def test_worker_info() -> None:
    """A worker knows its number, its seed and its copy of the dataset; outside there is nothing to know."""
    assert get_worker_info() is None
    data = Numbers(4)

    def act(index: int) -> Any:
        info: Any = get_worker_info()
        return [info.id, info.num_workers, info.dataset is data, os.getpid() != parent]

    parent = os.getpid()
    data.act = act
    found = [[x.item() for x in sample] for sample in DataLoader(data, num_workers=2)]
    assert found == [[0, 2, True, True], [1, 2, True, True]] * 2


def test_workers_draw_different_repeatable_numbers() -> None:
    """Random numbers differ between workers and passes, and are fixed by the seed."""

    def act(index: int) -> Any:
        import random

        return [sg.rand(1).item(), random.random(), float(np.random.random())]

    def draw() -> list[Any]:
        sg.manual_seed(9)
        loader = DataLoader(Numbers(2, act), num_workers=2)
        return [[x.item() for x in sample] for _ in range(2) for sample in loader]

    first = draw()
    assert first == draw()
    assert len({value for sample in first for value in sample}) == 12


def test_init_function() -> None:
    """worker_init_fn is called with the number of the worker; its error is reported like a sample's."""
    calls = multiprocessing.Array("i", 2)

    def init(number: int) -> None:
        calls[number] += 1

    assert len(list(DataLoader(Numbers(4), num_workers=2, worker_init_fn=init))) == 4
    assert list(calls) == [1, 1]

    def broken(number: int) -> None:
        raise ValueError("no luck")

    with pytest.raises(ValueError, match="(?s)Caught ValueError in DataLoader worker process 0.*no luck"):
        list(DataLoader(Numbers(4), num_workers=1, worker_init_fn=broken))


class Peculiar(Exception):
    """An exception that takes two arguments."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(a, b)


def test_exceptions_and_what_comes_after() -> None:
    """An exception comes with its class and the worker's traceback in the place of its batch; the rest still come."""

    def act(index: int) -> int:
        if index == 1:
            raise ValueError("sample one")
        if index == 2:
            raise KeyError("a\nb")
        if index == 3:
            raise Peculiar(1, 2)
        if index == 4:
            raise StopIteration
        return index

    iterator = iter(DataLoader(Numbers(6, act), num_workers=2))
    assert next(iterator).item() == 0
    with pytest.raises(ValueError) as caught:
        next(iterator)
    text = str(caught.value)
    assert text.startswith("Caught ValueError in DataLoader worker process 1.\nOriginal Traceback (most recent")
    assert text.endswith("ValueError: sample one\n") and "in act" in text
    with pytest.raises(KeyError) as caught_key:
        next(iterator)
    assert "worker process 0.\nOriginal Traceback" in str(caught_key.value)
    with pytest.raises(RuntimeError, match="Caught Peculiar in DataLoader worker process 1"):
        next(iterator)
    with pytest.raises(RuntimeError, match="Caught StopIteration"):
        next(iterator)
    assert next(iterator).item() == 5
    with pytest.raises(StopIteration):
        next(iterator)


def test_what_cannot_be_sent() -> None:
    """A batch, or an exception, that cannot be pickled is an error with a message, not a hang."""

    class Local(Exception):
        pass

    def act(index: int) -> Any:
        if index == 0:
            raise Local("local trouble")
        return lambda: index

    iterator = iter(DataLoader(Numbers(2, act), num_workers=1, batch_size=None))
    with pytest.raises(RuntimeError, match="(?s)Caught Local in.*local trouble"):
        next(iterator)
    with pytest.raises(Exception, match="(?s)Caught .* in DataLoader worker process 0.*[Pp]ickle"):
        next(iterator)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda index: os.kill(os.getpid(), signal.SIGKILL),
            r"DataLoader worker \(pid \d+\) is killed by signal: Killed",
        ),
        (lambda index: os._exit(3), r"DataLoader worker \(pid \d+\) exited unexpectedly with exit code 3"),
    ],
)
def test_death_of_a_worker(act: Any, message: str) -> None:
    """A worker that dies is reported at once, and the others are ended."""
    iterator: Any = iter(DataLoader(Numbers(8, act), num_workers=2))
    processes = [worker.process for worker in iterator.pool.workers]
    with pytest.raises(RuntimeError, match=message):
        next(iterator)
    assert _gone(processes)


def test_death_between_passes_of_persistent_workers() -> None:
    """Persistent workers that have died are replaced in the next pass."""
    loader: Any = DataLoader(Numbers(4), num_workers=2, persistent_workers=True)
    assert len(list(loader)) == 4
    os.kill(loader._pool.workers[1].process.pid, signal.SIGKILL)
    loader._pool.workers[1].process.join()
    with pytest.raises(RuntimeError, match="is killed by signal"):
        list(loader)
    assert _lists(loader) == [[0], [1], [2], [3]]


def test_timeout() -> None:
    """A batch that takes longer than the timeout is an error."""

    def act(index: int) -> int:
        time.sleep(0.6)
        return index

    iterator = iter(DataLoader(Numbers(1, act), num_workers=1, timeout=0.05))
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.05 seconds"):
        next(iterator)


def test_workers_end_with_the_iterator() -> None:
    """Dropping the iterator in the middle of a pass, or finishing the pass, ends the workers."""
    iterator: Any = iter(DataLoader(Numbers(100), num_workers=2))
    next(iterator)
    processes = [worker.process for worker in iterator.pool.workers]
    assert all(p.is_alive() for p in processes)
    del iterator
    gc.collect()
    assert _gone(processes)
    iterator = iter(DataLoader(Numbers(2), num_workers=2))
    processes = [worker.process for worker in iterator.pool.workers]
    assert len(list(iterator)) == 2
    assert _gone(processes)


def test_persistent_workers() -> None:
    """Persistent workers serve pass after pass, also after one that was left early, and end with the loader."""
    loader: Any = DataLoader(Numbers(6), num_workers=2, persistent_workers=True)
    assert _lists(loader) == [[i] for i in range(6)]
    processes = [worker.process for worker in loader._pool.workers]
    early = iter(loader)
    assert next(early).item() == 0
    assert _lists(loader) == [[i] for i in range(6)]
    with pytest.raises(StopIteration):
        next(early)
    assert [worker.process for worker in loader._pool.workers] == processes
    del loader, early
    gc.collect()
    assert _gone(processes)


def test_persistent_iterable() -> None:
    """Each pass over an iterable dataset starts anew in persistent workers."""
    loader = DataLoader(Shares(3), num_workers=2, batch_size=None, persistent_workers=True)
    assert [list(loader) for _ in range(2)] == [[0, 1, 2], [0, 1, 2]]


def test_prefetching() -> None:
    """Workers make batches ahead while nobody asks, as many as were allowed and no more."""
    made = multiprocessing.Value("i", 0)

    def act(index: int) -> int:
        with made.get_lock():
            made.value += 1
        return index

    iterator = iter(DataLoader(Numbers(50, act), num_workers=1, prefetch_factor=5))
    deadline = time.monotonic() + 10
    while made.value < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert made.value == 5
    next(iterator)


def test_large_batches_and_small_views() -> None:
    """Batches larger than a pipe's buffer arrive whole; of a view only its own elements are sent."""
    loader = DataLoader(Numbers(6, lambda index: sg.full((300_000,), float(index))), num_workers=2)
    assert [(batch == i).all().item() for i, batch in enumerate(loader)] == [True] * 6
    whole = sg.arange(1_000_000)
    (first, *_) = DataLoader(Numbers(2, lambda index: whole[index : index + 2]), batch_size=None, num_workers=1)
    assert first.tolist() == [0, 1] and len(first._storage) == 2


def test_spawn() -> None:
    """Workers may be started afresh instead of forked."""
    loader = DataLoader(Numbers(3), num_workers=1, multiprocessing_context="spawn")
    assert _lists(loader) == [[0], [1], [2]]


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
    found = pids.get(timeout=20)
    process.join()
    deadline = time.monotonic() + 10
    while (left := [pid for pid in found if _is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _is_running(pid: int) -> bool:
    """Whether a process is there and no zombie; nobody may be left to collect orphans."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
