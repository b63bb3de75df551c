"""Work that threads share: every element once, errors come through, workers sleep, wake, end and are hired anew."""

import os
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.compiler.jit import jit
from specgrad.runtime.device.threads import job, parallel_for, workers
from tests.patience import PATIENCE


@jit
def count(positions: np.ndarray, scale: np.float32, shape: tuple[int, int], step: float, first: int, last: int) -> None:
    """Adds to each place of the range."""
    for i in range(first, last):
        positions[i] += scale * shape[0] + shape[1] * step


@jit
def refuse(positions: np.ndarray, first: int, last: int) -> None:
    """Raises for a range that goes beyond the places."""
    for i in range(first, last):
        if i >= positions.size:
            raise IndexError
        positions[i] = 1


@jit
def scale(x: np.ndarray, factor: float, none: np.ndarray, out: np.ndarray, yes: bool) -> None:
    """out = factor x."""
    for i in range(out.size):
        out[i] = factor * x[i] + none.size if yes else x[i]


@pytest.mark.parametrize("number", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1, 5, 96, 97, 1000])
def test_each_element_is_computed_once(threads: Any, number: int, size: int) -> None:
    """Whatever the numbers of threads and elements; numbers, tuples and float32 come as they are."""
    threads(number)
    positions = np.zeros(size, np.float32)
    for _ in range(3):
        parallel_for.shared(count, (positions, np.float32(0.5), (4, 3), 2.0), size, size, 10)
    assert (positions == 24).all()


def test_strided_arrays_and_those_with_nothing_to_share(threads: Any) -> None:
    """Arrays of any layout come as they are; what a call cannot have as words goes through Python."""
    threads(2)
    positions = np.zeros((50, 2), np.float32)
    parallel_for.shared(count, (positions[:, 1], np.float32(1), (1, 0), 1.0), 50, 50)
    np.testing.assert_array_equal(positions, [[0, 1]] * 50)
    seen: list[range] = []
    parallel_for.shared(lambda obj, first, last: seen.append(range(first, last)), (object(),), 50, 50)
    assert sorted(i for part in seen for i in part) == list(range(50))


def test_errors_come_through(threads: Any) -> None:
    """Of compiled kernels and of Python, also from a worker; and the next job is as any other."""
    threads(2)
    with pytest.raises(RuntimeError, match="refuse"):
        parallel_for.shared(refuse, (np.zeros(60),), 100, 100)
    with pytest.raises(ZeroDivisionError):
        workers.in_parts(100, 10, lambda first, last: 1 // (first - 50))
    positions = np.zeros(100)
    parallel_for.shared(refuse, (positions,), 100, 100)
    assert positions.all()


def test_slices_of_all_arrays(threads: Any) -> None:
    """Arrays are cut, numbers are not."""
    threads(3)
    a, out = np.arange(5000.0), np.zeros(5000)
    none = np.empty(0)
    parallel_for.by_slices(scale, (a, 2.0, none, out, True), 5000)
    np.testing.assert_array_equal(out, 2 * a)
    transposed = np.zeros(5000, complex)
    parallel_for.by_slices(lambda x, factor, to: np.multiply(x, factor, out=to), (a, 3j, transposed), 5000)
    np.testing.assert_array_equal(transposed, 3j * a)


def test_workers_sleep_and_wake(threads: Any) -> None:
    """Jobs after pauses of any length, in which workers may be about to sleep."""
    threads(3)
    a = sg.arange(200_000.0)
    for k in range(300):
        assert a.mul(2.0)[k].item() == 2 * k
        time.sleep(k * 1e-6)


@pytest.mark.parametrize("times, parts", [(1, 4), (8, 8)])
def test_few_threads_share_what_is_just_large_enough(
    threads: Any, monkeypatch: pytest.MonkeyPatch, times: int, parts: int
) -> None:
    """Of many threads each has a fourth, at least, of what is large enough to be shared."""
    monkeypatch.setattr(job, "LARGE", 1 << 13)
    threads(8)
    a, seen = sg.ones(times << 13), set()
    for _ in range(100):  # workers may sleep at first
        job.Job.put(job.slot_values, "parts", 0)
        a.add(a)
        seen.add(int(job.slot_values[job.Job.word("parts")]))
    assert seen <= {0, parts} and parts in seen


def test_many_threads_of_the_user(threads: Any) -> None:
    """One of them has the workers, the others compute alone."""
    threads(2)
    a = sg.arange(100_000.0)
    wrong = []

    def run(factor: float) -> None:
        for _ in range(200):
            if not bool((a * factor == sg.tensor(a.numpy() * np.float32(factor))).all()):
                wrong.append(factor)

    started = [threading.Thread(target=run, args=(k + 0.5,)) for k in range(4)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert not wrong


def test_a_job_inside_a_job(threads: Any) -> None:
    """What a part shares in turn is computed by its thread alone."""
    threads(2)
    positions = np.zeros((4, 300), np.float32)

    def inside(first: int, last: int) -> None:
        for row in positions[first:last]:
            parallel_for.shared(count, (row, np.float32(1), (1, 0), 1.0), row.size, row.size)

    workers.in_parts(4, 1, inside)
    assert (positions == 1).all()


def test_the_number_may_change_at_any_time(threads: Any) -> None:
    """Workers end, and others come."""
    a = sg.arange(100_000.0)
    for number in (2, 5, 1, 3):
        threads(number)
        assert (a + a)[99_999].item() == 199_998
        while workers.worker_count() > number - 1:  # who is not wanted any more goes by itself
            time.sleep(0.001)
        assert workers.worker_count() == number - 1


def test_a_process_ends_while_workers_wait() -> None:
    """At once, and without an error."""
    code = "import specgrad as sg; sg.set_num_threads(3); sg.ones(1 << 20).add_(1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == ""


def test_nothing_is_kept_of_a_job(threads: Any) -> None:
    """What a job of Python worked on may go when it is done."""
    threads(2)
    positions = np.zeros(100)
    retained = weakref.ref(positions)
    workers.in_parts(100, 10, lambda first, last, positions=positions: positions[first:last].fill(1))  # type: ignore[misc]
    assert positions.all()
    del positions
    assert retained() is None


def test_a_fork_inside_a_part(threads: Any) -> None:
    """The new process computes the parts that its parent's workers had, and the parent goes on."""
    if not hasattr(os, "fork"):
        return
    threads(3)
    positions, children = np.zeros(3), []

    def part(first: int, last: int) -> None:
        if threading.current_thread() is threading.main_thread() and not children:
            children.append(os.fork())
        positions[first:last] = 1

    workers.in_parts(3, 1, part)
    if children == [0]:
        os._exit(0 if positions.all() else 1)
    assert positions.all()
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0


def test_who_computes_when_the_interpreter_ends_does_so_alone() -> None:
    """Finalisers and atexit functions get right results, and no thread is started for them."""
    code = """
import atexit
import numpy as np
@atexit.register
def last():
    x.sort(1)
    print(bool((x * 2 == x + x).all()), workers.worker_count())
import specgrad as sg
from specgrad.runtime.device.threads import workers
sg.set_num_threads(3)
x = sg.ones(1000, 1000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "True 0\n"
