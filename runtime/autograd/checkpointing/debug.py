"""The log of the ops that a checkpointed call recorded, with the calling lines, for errors in debug mode."""

from __future__ import annotations

import contextlib
import threading
import traceback
from collections.abc import Iterator
from typing import Any

from ...errors import PACKAGE
from ...modes.intercept import Watcher, watch
from ...tensor.base import TensorBase
from ..node import recording_node


class OpLog:
    """The ops of the call and of its repetition, as lines of text."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Inside, the ops that this thread records are added to the log."""
        lines: list[str] = []
        self.runs = [*self.runs[:1], lines]  # the first run, and the last
        thread, name = threading.get_ident(), f"checkpoint debug mode {id(lines)}"

        def note(result: Any) -> None:
            if threading.get_ident() == thread:
                describe(result, lines)

        watch.enter(name, Watcher(note=note))
        try:
            yield
        finally:
            watch.leave(name)

    def text(self) -> str:
        titles = ("Operators that ran in the original forward", "Operators that ran during recomputation")
        parts = [f"\n\n{title} ({len(run)}):\n" + "".join(run) for title, run in zip(titles, self.runs, strict=False)]
        return "".join(parts)


def describe(result: Any, lines: list[str]) -> None:
    """Add the op that made `result`, with the line that called it."""
    node = recording_node(result)
    if node is None:
        return
    outputs = [o for o in (result if isinstance(result, tuple) else (result,)) if isinstance(o, TensorBase)]
    made = ", ".join(f"{output.dtype}{list(output.shape)}" for output in outputs)
    frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(PACKAGE)]
    location = "".join(traceback.format_list(frames[-1:]))
    lines.append(f"${len(lines) + 1}: {made} = {node.op_name or node.name()} ({node.spec_location})\n{location}")
