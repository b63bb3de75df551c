"""Blocks whose threads meet: each is a greenlet, which waits at barriers and shuffles until the others are there."""

import contextvars
import types
from collections.abc import Callable, Sequence
from typing import Any

from greenlet import getcurrent, greenlet

from .limits import WARP, Dim3, KernelFault
from .thread_races import RunningKernel
from .warps_and_atomics import OPERATIONS

ANSWERS: dict[str, Callable[[list[Any]], Any]] = {
    "syncthreads": lambda values: None,
    "syncthreads_count": lambda values: sum(map(bool, values)),
    "syncthreads_and": lambda values: int(all(values)),
    "syncthreads_or": lambda values: int(any(values)),
}


class Thread(greenlet):
    """A thread of a block, and what it waits for."""

    def __init__(self, run: Callable[..., None], thread_index: Dim3, number: int) -> None:
        super().__init__(run)
        self.gr_context = contextvars.copy_context()  # of NumPy's errors
        self.thread_index, self.number, self.lane = thread_index, number, number % WARP
        self.stretch = 0
        self.what = ""  # the barrier or shuffle that it waits at
        self.site: tuple[Any, ...] = ()  # the lines that lead there, from the inside
        self.mask, self.value, self.argument, self.answer = 0, None, None, None

    @property
    def waits_for(self) -> tuple[Any, ...]:
        return self.what, self.mask, self.site

    @property
    def waits(self) -> str:
        return f"thread {tuple(self.thread_index)} waits at {self.what} in {lines(self.site)}"


def wait(frame: types.FrameType, what: str, value: Any = None, mask: int = 0, argument: Any = None) -> Any:
    thread = getcurrent()
    thread.what, thread.value, thread.mask, thread.argument = what, value, mask, argument
    thread.site = site_of(frame)
    thread.parent.switch()
    return thread.answer


def site_of(frame: types.FrameType | None) -> tuple[Any, ...]:
    """Where a frame is, and what called it: (code, instruction) of each."""
    matches: list[Any] = []
    while frame is not None:
        matches += (frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return tuple(matches)


def lines(site: tuple[Any, ...]) -> str:
    matches = []
    for code, instruction in zip(site[::2], site[1::2], strict=True):
        number = next(n for first, last, n in code.co_lines() if first <= instruction < last)
        matches.append(f"line {number} of {code.co_name}")
    return " called in ".join(matches)


class Block:
    """Runs the threads of one block."""

    def __init__(
        self, cuda: RunningKernel, kernel: Callable[..., None], thread_indices: Sequence[tuple[int, Dim3]]
    ) -> None:
        self.cuda, self.timeline = cuda, cuda.timeline
        self.threads = [Thread(kernel, thread_index, number) for number, thread_index in thread_indices]
        self.returned: list[Thread] = []

    def run(self, arguments: Sequence[Any], ordered: Callable[[list[Any]], list[Any]]) -> None:
        live = self.threads
        try:
            for thread in ordered(live):
                self.cuda.threadIdx = thread.thread_index
                self.timeline.begin(thread.thread_index, thread.number)
                thread.switch(*arguments)
                thread.stretch = self.timeline.now
            while live := self.still_running(live):
                for thread in ordered(self.released(live)):
                    self.cuda.threadIdx, self.timeline.now = thread.thread_index, thread.stretch
                    thread.switch()
                    thread.stretch = self.timeline.now
        finally:
            for thread in live:
                if not thread.dead:
                    thread.throw()  # ends it

    def still_running(self, threads: list[Thread]) -> list[Thread]:
        self.returned += [thread for thread in threads if thread.dead]
        return [thread for thread in threads if not thread.dead]

    def released(self, live: list[Thread]) -> list[Thread]:
        """The threads that may go on: warps that are complete, else all at the barrier of the block."""
        warps: dict[int, list[Thread]] = {}
        for thread in live:
            warps.setdefault(thread.number // WARP, []).append(thread)
        matches = [thread for warp, threads in warps.items() for thread in self.converged(warp, threads)]
        if not matches:
            self.check_barrier(live)
            answer = ANSWERS[live[0].what]([thread.value for thread in live])
            self.timeline.barrier()
            for thread in live:
                thread.answer, thread.stretch = answer, self.timeline.begin(thread.thread_index, thread.number)
            matches = live
        return matches

    def converged(self, warp: int, threads: list[Thread]) -> list[Thread]:
        matches: list[Thread] = []
        done = 0  # lanes
        for first in threads:
            if first.what in OPERATIONS and not done >> first.lane & 1:
                lanes = [t for t in threads if first.mask >> t.lane & 1]
                requested = first.waits_for
                if all(t.waits_for == requested for t in lanes):
                    self.answer(warp, first, lanes)
                    matches += lanes
                    done |= first.mask
        return matches

    def answer(self, warp: int, first: Thread, lanes: list[Thread]) -> None:
        if first not in lanes:
            raise self.fault(f"{first.waits}, and its mask {first.mask:#x} does not name its lane {first.lane}")
        try:
            answers = OPERATIONS[first.what]({t.lane: (t.value, t.argument) for t in lanes})
        except KernelFault as error:
            raise self.fault(f"{first.what} in {lines(first.site)}, warp {warp}: {error}") from None
        if first.what == "syncwarp":
            self.timeline.warp_barrier(warp, first.mask)
        for thread in lanes:
            thread.answer = answers[thread.lane]
            if first.what == "syncwarp":
                thread.stretch = self.timeline.begin(thread.thread_index, thread.number)

    def check_barrier(self, live: list[Thread]) -> None:
        """Refuse what would hang, or is undefined: not all threads of the block wait at one barrier."""
        lane = next((t for t in live if t.what in OPERATIONS), None)
        if lane:
            beside = [t for t in live if t.number // WARP == lane.number // WARP and lane.mask >> t.lane & 1]
            other = next(t for t in beside if t.waits_for != lane.waits_for)
            raise self.fault(f"lanes of a warp wait for each other: {lane.waits}, {other.waits}")
        first = live[0]
        for other in live:
            if other.waits_for != first.waits_for:
                raise self.fault(f"divergent barriers: {first.waits}, {other.waits}")
        if self.returned:
            raise self.fault(
                f"divergent barrier: {first.waits}, thread {tuple(self.returned[0].thread_index)} has returned"
            )

    def fault(self, text: str) -> KernelFault:
        return KernelFault(f"{self.cuda.kernel}: block {tuple(self.cuda.blockIdx)}: {text}")
