"""A plugin of pytest's that writes what becomes of each test, a line as soon as it ends, and ends tests that last long.

It is loaded with `-p outcomes` and told by variables what to do, as the tests run where specgrad is not imported:
OUTCOMES is the file that it writes, SECONDS the time that a test may take. ONLY names a file with the tests to run, all
if it is not given.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

FILE = Path(os.environ["OUTCOMES"])
SECONDS = int(os.environ["SECONDS"])
_message: dict[str, str] = {}


for _folder in (
    "test",
    "tests",
):  # without __init__.py, it would be looked for last, and others install packages so named
    if Path(_folder).is_dir() and not Path(_folder, "__init__.py").exists():
        sys.modules[_folder] = ModuleType(_folder)
        sys.modules[_folder].__path__ = [str(Path(_folder).resolve())]


class TooLong(BaseException):
    """A test took more than its time: of no class that a test would catch."""


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TooLong(f"more than {SECONDS} s")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out what the other library has not passed."""
    if "ONLY" in os.environ:
        output_mask = set(Path(os.environ["ONLY"]).read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if _one_line(item.nodeid) not in output_mask])
        items[:] = [item for item in items if _one_line(item.nodeid) in output_mask]


def pytest_runtest_setup(item: Any) -> None:
    """Start the clock, and the random numbers of tests that set no seed."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS)


def pytest_runtest_logreport(report: Any) -> None:
    """Write the outcome when a test has been torn down: it passes if nothing of it fails or is skipped."""
    name = _one_line(report.nodeid)
    if report.outcome != "passed":
        _message.setdefault(name, f"{report.outcome}\t{_reason(report)}")
    if report.when == "teardown":
        signal.alarm(0)
        with FILE.open("a", encoding="utf-8") as file:
            file.write(f"{name}\t{_message.pop(name, 'passed' + chr(9))}\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _reason(report: Any) -> str:
    """The error in a line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return _one_line(str(crash.message if crash is not None else report.longrepr))[:400]
