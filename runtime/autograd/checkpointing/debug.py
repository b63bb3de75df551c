"""Which ops a checkpointed call recorded, and where: what error messages show in debug mode."""

from __future__ import annotations

import threading
import traceback
from typing import Any

from ...modes.intercept import Watcher, watch
from ...tensor.base import TensorBase
from ...user_warning import PACKAGE
from ..node import recording_node


class OpLog:
    """The ops of the call and of its repetition, as lines of text."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def recording(self) -> Recording:
        """A context in which recorded ops are added to the log."""
        return Recording(self)

    def text(self) -> str:
        """All that was logged."""
        titles = ("Operators that ran in the original forward", "Operators that ran during recomputation")
        parts = [f"\n\n{title} ({len(run)}):\n" + "".join(run) for title, run in zip(titles, self.runs, strict=False)]
        return "".join(parts)


class Recording:
    """One run: adds its ops to a log, those of this thread only."""

    def __init__(self, log: OpLog) -> None:
        self.log = log
        self.name = f"checkpoint debug mode {id(self)}"
        self.thread = threading.get_ident()
        self.lines: list[str] = []

    def __enter__(self) -> None:
        self.log.runs = [*self.log.runs[:1], self.lines]  # the first run, and the last
        watch.enter(self.name, Watcher(note=self.note))

    def __exit__(self, *_: object) -> None:
        watch.leave(self.name)

    def note(self, result: Any) -> None:
        """Describe the op that made `result`."""
        if threading.get_ident() != self.thread:
            return
        node = recording_node(result)
        if node is None:
            return
        outputs = [o for o in (result if isinstance(result, tuple) else (result,)) if isinstance(o, TensorBase)]
        made = ", ".join(f"{output.dtype}{list(output.shape)}" for output in outputs)
        frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(PACKAGE)]
        place = "".join(traceback.format_list(frames[-1:]))
        self.lines.append(
            f"${len(self.lines) + 1}: {made} = {node.op_name or node.name()} ({node.spec_place})\n{place}"
        )
