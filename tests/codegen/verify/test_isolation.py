"""Tasks in processes of their own: who dies or hangs is replaced, and all others are answered."""

from __future__ import annotations

import gc
import operator
import os
import time

import pytest

from specgrad.codegen.mutate.evaluate_mutant import First, Killed
from specgrad.codegen.verify import guards, isolation
from specgrad.codegen.verify.isolation import Lost, answers, limit_memory, spoil
from specgrad.codegen.verify.processes import guarded
from specgrad.generated.registry import BY_NAME


def greedy() -> int:
    """Asks for more memory than it may have."""
    limit_memory(1 << 28)
    return len(bytearray(1 << 30))


def spoilt() -> int:
    spoil("a test")
    return os.getpid()


def test_a_task_that_dies_costs_itself_alone() -> None:
    """The task's number has the cause of death, whatever killed it, and the tasks around it have answers."""
    tasks = [(operator.add, (1, 2)), (os.abort, ()), (operator.add, (3, 4)), (os._exit, (7,)), (operator.add, (5, 6))]
    found = dict(answers(tasks, seconds=60, processes=1))
    assert [found[i] for i in (0, 2, 4)] == [3, 7, 11]
    assert found[1] == Lost("killed the process: Aborted", died=True)
    assert found[3] == Lost("killed the process: exit status 7", died=True)


def test_a_task_that_hangs_is_ended() -> None:
    """It has its time, and the tasks beside it go on meanwhile."""
    begin = time.monotonic()
    tasks = [(time.sleep, (1000,)), *[(operator.add, (i, i)) for i in range(3)]]
    found = dict(answers(tasks, seconds=15, processes=2))
    assert found == {0: Lost("did not end in 15 s", died=False), 1: 0, 2: 2, 3: 4}
    assert time.monotonic() - begin < 100


def test_a_task_that_raises_is_an_error_here() -> None:
    """What was raised there is raised here."""
    with pytest.raises(ZeroDivisionError):
        list(answers([(operator.truediv, (1, 0))], seconds=60, processes=1))


def test_memory_is_limited() -> None:
    """A task that wants more than it may have is refused it, and ends as any other does."""
    with pytest.raises(MemoryError):
        list(answers([(greedy, ())], seconds=60, processes=1))


def test_a_process_that_is_spoilt_runs_nothing_more() -> None:
    """The next task has a process of its own."""
    found = dict(answers([(spoilt, ()), (os.getpid, ()), (os.getpid, ())], seconds=60, processes=1))
    assert found[0] != found[1] == found[2]


def test_processes_have_the_environment_that_is_asked_for() -> None:
    """And ours stays as it is."""
    (found,) = answers([(os.getenv, ("SPECGRAD_TEST",))], seconds=60, processes=1, environment={"SPECGRAD_TEST": "x"})
    assert found == (0, "x")
    assert "SPECGRAD_TEST" not in os.environ


def test_memory_that_is_not_whole_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the report ends at its first finding, as that on a mutant does: what comes next is not blamed."""
    monkeypatch.setattr(isolation, "_spoilt", [])
    monkeypatch.setattr(guards, "_reported", {})
    monkeypatch.setattr(guards, "damage", lambda: {guards.OUTSIDE: 1, guards.AFTER: 0})
    with pytest.raises(Killed, match="memory is written outside an array"):
        guarded(BY_NAME["tanh"], First())
    gc.unfreeze()
    assert isolation._spoilt
