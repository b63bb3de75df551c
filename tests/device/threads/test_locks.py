"""Locks: a fork finds them open, whoever holds them, and so does a finaliser."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from specgrad.runtime import locks
from specgrad.runtime.compiler.passes.loading import load_compiler
from tests.patience import PATIENCE

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def code_of_child(child: Callable[[], bool]) -> int:
    """What a forked process, which is right or not, ends with."""
    number = os.fork()
    if not number:
        os._exit(0 if child() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_waits_for_who_holds_a_lock() -> None:
    """What the lock guards is whole in the new process, and the lock is open there and here."""
    lock, held, done = locks.new_lock(), threading.Event(), []

    def hold() -> None:
        with lock:
            held.set()
            time.sleep(0.1)
            done.append(True)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    assert code_of_child(lambda: done == [True] and lock.acquire(timeout=0)) == 0
    thread.join()
    assert lock.acquire(timeout=0)
    lock.release()


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_waits_for_locks_that_are_made_while_it_waits() -> None:
    """Another thread may load the compiler, whose lock it then holds, while the thread that forks waits for it."""
    first, later, held, done = locks.new_lock(), [], threading.Event(), []

    def hold() -> None:
        with first:
            held.set()
            time.sleep(0.1)
            later.append(locks.new_lock())
            later[0].acquire()
        time.sleep(0.1)
        done.append(True)
        later[0].release()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    assert code_of_child(lambda: done == [True] and later[0].acquire(timeout=0)) == 0
    thread.join()


def test_who_takes_all_locks_waits_for_the_one_that_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was waited for before: a thread that is waited for would have to fight for all others meanwhile."""
    waits = []

    class Lock:
        def __init__(self, name: str, is_free: bool) -> None:
            self.name, self.is_free = name, is_free

        def acquire(self, blocking: bool, timeout: float = 0) -> bool:
            if blocking:
                waits.append(self.name)
                first.is_free = self is first  # else another thread takes it meanwhile
                self.is_free = True
            return self.is_free

        def release(self) -> None:
            """Nobody else waits for it."""

    first, second = Lock("first", True), Lock("second", False)
    monkeypatch.setattr(locks, "_all_locks", lambda: [first, second])
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    locks._take_all()
    locks._give_back()
    assert waits == ["first", "second", "first"]


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_lock_that_is_not_given_back_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork waits for a while, not for ever; and a thread that forks may hold locks itself."""
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    other, own, held, stop = locks.new_lock(), locks.new_lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with other:
            held.set()
            stop.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    with own:
        assert code_of_child(lambda: other.acquire(timeout=0) and own.acquire(timeout=0)) == 0
    stop.set()
    thread.join()
    assert not own._is_owned()
    assert not other._is_owned()


def test_locks_are_forgotten_when_nobody_has_them() -> None:
    """A lock of a checkpoint, of which there are many, lives no longer than the checkpoint."""
    before = len(locks._known)
    multiple = [locks.new_lock() for _ in range(10)]
    assert len(locks._known) == before + 10
    del multiple
    assert len(locks._known) == before


def test_a_daemon_that_holds_a_lock_does_not_stop_the_end() -> None:
    """The main thread has all locks when the interpreter ends: what still runs in it waits for nobody."""
    code = """
import atexit, threading, time
ends = threading.Event()
free = threading.Thread(target=lambda: (ends.wait(), print(lock.acquire(timeout=0), flush=True)), daemon=True)
free.start()  # Python 3.12 starts none any more when it ends
@atexit.register
def last():  # registered first
    ends.set()
    free.join()
    print(lock.acquire(timeout=0), flush=True)
from specgrad.runtime.locks import new_lock
lock = new_lock()
def hold():
    while True:
        with lock: time.sleep(0.01)
        time.sleep(0.001)
threading.Thread(target=hold, daemon=True).start()
time.sleep(0.05)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "False\nTrue\n"


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_the_locks_of_the_compilers_properties_are_open() -> None:
    """What another thread was about to compute for the first time can be computed in the new process."""
    load_compiler()
    found = list(locks._locks_of_properties())
    assert found
    held, stop = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in found:
            lock.acquire()
        held.set()
        stop.wait()
        for lock in found:
            lock.release()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    code = code_of_child(lambda: all(lock.acquire(timeout=0) for lock in found))
    stop.set()
    thread.join()
    assert code == 0
