"""Timer: how long a statement takes, with a given number of threads and after what is done once."""

import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from ...device.device import cuda_available
from ...device.threads.parallel_for import get_num_threads, set_num_threads
from ..cuda_api.devices import synchronize
from .measurement import Measurement, TaskSpec


class Language(IntEnum):
    """The language of a statement; PyTorch measures C++ too."""

    PYTHON = 0
    CPP = 1


def timer() -> float:
    """Seconds of a clock, when the work of CUDA devices is done."""
    if cuda_available():
        synchronize()
    return timeit.default_timer()


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A block in which ops use some number of threads.

    Args:
        n: the number.
    """
    before = get_num_threads()
    set_num_threads(n)
    try:
        yield
    finally:
        set_num_threads(before)


class Timer:
    """Measures a statement: by default in one thread, waiting for devices, without the garbage collector.

    Args:
        stmt: the statement.
        setup: what is run before it, once for each run.
        global_setup: code for C++ alone.
        timer: gives seconds.
        globals: the names that the statement sees.
        label, sub_label, description, env: what it is called in tables, as of TaskSpec.
        num_threads: how many threads ops use.
        language: of the statement: Python.

    Raises:
        ValueError: another language, or global_setup.

    Example:
        >>> import specgrad as sg
        >>> t = Timer("x + x", globals={"x": sg.ones(4)})
        >>> t.timeit(10).number_per_run
        10
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Timer: statements in {language!r} cannot be measured here")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        names = globals or {}
        self._clock = timer
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """Run the statement `number` times, after some runs that do not count."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(number=max(int(number // 100), 2))
            return self._measured(number, [self._timeit(number)])

    def autorange(self, callback: Callable[..., Any] | None = None) -> Any:
        """Refused: `blocked_autorange` does it, and `callback` too."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def repeat(self, repeat: int = -1, number: int = -1) -> Any:
        """Refused: `timeit` and `blocked_autorange` give Measurements; `repeat` and `number` are those of timeit's."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _estimate_block_size(self, min_run_time: float) -> int:
        """So often that reading the clock takes a thousandth of a block's time."""
        with set_torch_threads(self._task_spec.num_threads):
            overhead = sorted(timeit.Timer(timer=self._clock).timeit(0) for _ in range(5))[2]
            number = 1
            while True:
                elapsed = self._timeit(number)
                if (elapsed >= min_run_time / 1000 and overhead / elapsed <= 1e-3) or elapsed >= 1:
                    return number
                number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measure blocks of runs until they have taken `min_run_time` seconds together.

        `callback(number, seconds)` is called after each block.
        """
        return self._blocks(min_run_time, min_run_time, callback, lambda measured: False)

    def _blocks(
        self, min_run_time: float, max_run_time: float, callback: Any, is_enough: Callable[[Measurement], bool]
    ) -> Measurement:
        measured = self._measured(self._estimate_block_size(min_run_time), [])
        with set_torch_threads(self._task_spec.num_threads):
            while sum(measured.raw_times) < max_run_time and not is_enough(measured):
                measured.raw_times.append(self._timeit(measured.number_per_run))
                if callback is not None:
                    callback(measured.number_per_run, measured.raw_times[-1])
        return measured

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Measure blocks of runs until quartiles lie within `threshold` of the median, or `max_run_time` is over.

        Blocks take `min_run_time` seconds together at least; `callback(number, seconds)` is called after each.
        """

        def is_enough(measured: Measurement) -> bool:
            times = measured.raw_times
            return len(times) > 3 and sum(times) > min_run_time and measured.meets_confidence(threshold)

        return self._blocks(min_run_time, max_run_time, callback, is_enough)

    def collect_callgrind(self, *args: Any, **kwargs: Any) -> Any:
        """Refused by a RuntimeError: instructions are counted by Valgrind, for PyTorch's own machine code."""
        raise RuntimeError(
            "Timer.collect_callgrind: instructions are not counted here; the profiler says where time goes"
        )
