"""One event file: summaries with a step and a time, written by the package `tensorboard`."""

from __future__ import annotations

import time
from typing import Any

from .messages import as_array, part, proto


class FileWriter:
    """Writes an event file in a folder.

    Args:
        log_dir: the folder.
        max_queue: how many events wait before they are written.
        flush_secs: after how many seconds they are.
        filename_suffix: the end of the file's name.

    Raises:
        ImportError: the package `tensorboard` is not installed.
    """

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        writer = part("summary.writer.event_file_writer").EventFileWriter
        self.event_writer = writer(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder."""
        return str(self.event_writer.get_logdir())

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Write a message, `event`, with a `step` and a time, now where `walltime` is left out."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(as_array(step))
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Write a `summary`, with `global_step` and `walltime` as `add_event` has step and time."""
        self.add_event(proto("event").Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Write what waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write what waits, and end."""
        self.event_writer.close()
