"""`tensorboard_trace_handler`: an `on_trace_ready` that writes each trace into a folder."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def tensorboard_trace_handler(
    dir_name: Any, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[Any], None]:
    """A handler for `profile(on_trace_ready=...)` that writes `worker.time.pt.trace.json` for each trace.

    TensorBoard's profiler plugin reads such a folder, and chrome://tracing each file.

    Args:
        dir_name: the folder; it is made if it is not there.
        worker_name: what the files' names begin with; host and process when left out.
        use_gzip: whether the files are compressed, with names in `.gz`.

    Raises:
        RuntimeError: the folder cannot be made.

    Example:
        >>> import specgrad as sg, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with sg.profiler.profile(on_trace_ready=sg.profiler.tensorboard_trace_handler(folder, "me")):
        ...         y = sg.ones(2).exp()
        ...     [name.split(".")[0] for name in os.listdir(folder)]
        ['me']
    """
    worker = worker_name or f"{platform.node()}_{os.getpid()}"

    def write(profiler: Any) -> None:
        folder = Path(dir_name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RuntimeError(f"Can't create directory: {dir_name}") from error
        ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        profiler.export_chrome_trace(folder / f"{worker}.{time.time_ns()}{ending}")

    return write
