"""`futures`: values that are there later."""

import threading
from typing import Any

import pytest

pytestmark = pytest.mark.cpu("futures hold anything")


def test_a_value(lib: Any) -> None:
    """A value is waited for, and set once."""
    future = lib.futures.Future()
    assert not future.done()
    threading.Timer(0.01, future.set_result, (3,)).start()
    assert future.wait() == 3 and future.done() and future.value() == 3
    with pytest.raises(RuntimeError):
        future.set_result(4)


def test_functions_of_a_value(lib: Any) -> None:
    """Functions are called when the value is there, at once where it is; their errors are those of what follows."""
    future: Any = lib.futures.Future()
    seen: list[int] = []
    future.add_done_callback(lambda done: seen.append(done.wait()))
    doubled = future.then(lambda done: done.wait() * 2)
    failed = future.then(lambda done: 1 // 0)
    future.set_result(5)
    future.add_done_callback(lambda done: seen.append(done.wait()))
    assert doubled.wait() == 10 and seen == [5, 5]
    with pytest.raises((ZeroDivisionError, RuntimeError), match="by zero"):
        failed.wait()


def test_errors(lib: Any) -> None:
    """An error in place of a value is raised by who waits."""
    future = lib.futures.Future()
    future.set_exception(KeyError("missing"))
    with pytest.raises(KeyError, match="missing"):
        future.wait()
    with pytest.raises(AssertionError):
        lib.futures.Future().set_exception("text")


def test_several(lib: Any) -> None:
    """Several are there when all are."""
    futures = [lib.futures.Future() for _ in range(3)]
    batch = lib.futures.collect_all(futures)
    for number, future in enumerate(futures):
        assert not batch.done()
        future.set_result(number)
    assert [future.wait() for future in batch.wait()] == [0, 1, 2] == lib.futures.wait_all(futures)
    assert lib.futures.wait_all([]) == []
