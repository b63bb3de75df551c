"""What a DataLoader says when a worker raises, dies or takes too long."""

import multiprocessing
import os
import signal
from pickle import PicklingError
from typing import Any

import pytest

from specgrad.utils.data import DataLoader
from tests.patience import PATIENCE

from .examples import Numbers, forked, gone, lists

pytestmark = pytest.mark.cpu("a forked process makes no tensors on a device")


def test_init_function() -> None:
    """worker_init_fn is called with the number of the worker; its error is reported like a sample's."""
    calls = multiprocessing.Array("i", 2)

    def init(number: int) -> None:
        calls[number] += 1

    assert len(list(forked(Numbers(4), num_workers=2, worker_init_fn=init))) == 4
    assert list(calls) == [1, 1]

    def broken(number: int) -> None:
        raise ValueError("no luck")

    with pytest.raises(ValueError, match="(?s)Caught ValueError in DataLoader worker process 0.*no luck"):
        list(forked(Numbers(4), num_workers=1, worker_init_fn=broken))


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

    iterator = iter(forked(Numbers(6, act), num_workers=2))
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

    iterator = iter(forked(Numbers(2, act), num_workers=1, batch_size=None))
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
    iterator: Any = iter(forked(Numbers(8, act), num_workers=2))
    processes = [worker.process for worker in iterator.pool.workers]
    with pytest.raises(RuntimeError, match=message):
        next(iterator)
    assert gone(processes)


def test_death_between_passes_of_persistent_workers() -> None:
    """Persistent workers that have died are replaced in the next pass."""
    loader: Any = DataLoader(Numbers(4), num_workers=2, persistent_workers=True)
    assert len(list(loader)) == 4
    os.kill(loader._pool.workers[1].process.pid, signal.SIGKILL)
    loader._pool.workers[1].process.join()
    with pytest.raises(RuntimeError, match="is killed by signal"):
        list(loader)
    assert lists(loader) == [[0], [1], [2], [3]]


def test_a_dataset_that_cannot_be_sent(lib: Any) -> None:
    """Workers that are not forked are sent the dataset: who has one with a local function is told what to do."""
    loader = lib.utils.data.DataLoader([lambda: 0], num_workers=1, multiprocessing_context="spawn")
    notified = pytest.warns(UserWarning, match=r"You can also try multiprocessing.set_start_method\('fork'\)")
    with notified, pytest.raises((AttributeError, PicklingError)):
        iter(loader)


def test_timeout() -> None:
    """A batch that takes longer than the timeout is an error."""
    awaited = multiprocessing.Event()

    def act(index: int) -> int:
        awaited.wait(PATIENCE)
        return index

    iterator = iter(forked(Numbers(1, act), num_workers=1, timeout=0.05))
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.05 seconds"):
        next(iterator)
    awaited.set()
