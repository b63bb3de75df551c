"""How far long work is: one line on standard error while that is a terminal, and nothing at all where it is none."""

import sys
import time

MIN_STEPS_FOR_ESTIMATE = 4  # before it nothing is said of the time that is left: the first ones load and compile
ERASE = "\r\033[K"


class Progress:
    """How many are done of how many, and how long the rest may take: a line that is gone when the work has ended."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.begin = time.monotonic()  # set anew by the first step, which is not like the others
        self.shown = sys.stderr.isatty()

    def __enter__(self) -> "Progress":
        self._show()
        return self

    def __exit__(self, *raised: object) -> None:
        self._write(ERASE)

    def step(self) -> None:
        self.done += 1
        if self.done == 1:
            self.begin = time.monotonic()
        self._show()

    def say(self, text: str) -> None:
        self._write(ERASE)
        print(text, flush=True)
        self._show()

    def left(self) -> str:
        if self.done <= MIN_STEPS_FOR_ESTIMATE:
            return ""
        rest = (time.monotonic() - self.begin) / (self.done - 1) * (self.total - self.done)
        return f", {rest // 60:.0f} min {rest % 60:.0f} s left"

    def _show(self) -> None:
        self._write(f"{ERASE}{self.done} / {self.total} {self.what}{self.left()}")

    def _write(self, text: str) -> None:
        if self.shown:
            print(text, end="", file=sys.stderr, flush=True)


def counted(count: int, noun: str) -> str:
    """`1 op`, `2 ops`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
