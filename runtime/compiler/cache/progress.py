"""Says on standard error that kernels are compiled: on a terminal by a line that is gone in the end, in a notebook by a
bar, elsewhere by one line when it begins and one when it is done. With SPECGRAD_COMPILE_LOG=0 nothing is said."""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

SETTING = "SPECGRAD_COMPILE_LOG"
TITLE = "specgrad: compiling kernels, once per machine"
ERASE = "\r\033[K"
MIN_SECONDS = 2.0  # that compiling has taken in all before a log is told
MIN_SECONDS_AT_FIRST = 0.3  # the same where no kernel has ever been kept: there will be more
QUIET_SECONDS = 3.0  # without a kernel, after which compiling is done


def subject(name: str, module: str) -> str:
    """The op that a kernel computes, or the family of ops that it is for."""
    folders = module.split(".")[:-1]
    if "ops" in folders:
        return folders[folders.index("ops") + 1]
    return name.partition("_forward")[0].partition("_backward")[0]


class Progress:
    """The kernels that this process has waited for since it last had nothing to compile."""

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0
        self.is_waiting = self.is_announced = False
        self.bar: Any = None
        self.timer: threading.Timer | None = None

    @contextmanager
    def waiting(self, what: str, is_first: bool) -> Iterator[None]:
        """While a kernel is compiled, inside of the compiler's lock; `is_first` where none has ever been kept."""
        if self.is_waiting:
            yield
            return
        if self.timer is not None:
            self.timer.cancel()
        show, begin, self.is_waiting = _display(), time.monotonic(), True
        try:
            with suppress(OSError, ValueError):  # the stream is closed
                show(self, what, self.seconds >= (MIN_SECONDS_AT_FIRST if is_first else MIN_SECONDS))
            yield
        finally:
            self.count, self.seconds, self.is_waiting = self.count + 1, self.seconds + time.monotonic() - begin, False
            with suppress(OSError, ValueError):
                show(self, "", False)
            if self.is_announced:
                self.end_later()

    def end_later(self) -> None:
        self.timer = threading.Timer(QUIET_SECONDS, self.end)
        self.timer.daemon = True
        with suppress(RuntimeError):  # no thread starts while Python ends, which ends this
            self.timer.start()

    def end(self) -> None:
        if self.is_waiting or not self.is_announced:
            return
        if self.bar is not None:
            self.bar.close()
        else:
            plural = "s" * (self.count != 1)
            with suppress(OSError, ValueError):
                _say(f"specgrad: compiled {self.count} kernel{plural} in {self.seconds:.0f} s\n")
        self.count, self.seconds, self.is_announced, self.bar = 0, 0.0, False, None


progress = Progress()
atexit.register(progress.end)


def _display() -> Callable[[Progress, str, bool], None]:
    if sys.stderr is None or os.environ.get(SETTING) == "0":
        return lambda *_: None
    if sys.stderr.isatty():
        return _line
    return _bar if "ipykernel" in sys.modules else _log


def _line(state: Progress, what: str, is_long: bool) -> None:
    _say(f"{ERASE}{TITLE}: {state.count + 1}, {what}" if what else ERASE)


def _log(state: Progress, what: str, is_long: bool) -> None:
    if is_long and not state.is_announced:
        state.is_announced = True
        _say(f"{TITLE}\n")


def _bar(state: Progress, what: str, is_long: bool) -> None:
    """A count without a total: nobody knows what a program is going to need."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _log(state, what, is_long)
    if state.bar is None:
        state.is_announced, state.bar = True, tqdm(desc=TITLE, unit=" kernels", leave=False)
    if what:
        state.bar.set_postfix_str(what)
    else:
        state.bar.update()


def _say(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
