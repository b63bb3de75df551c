"""Files in which ranks say what they have failed with, for the launcher's report: `elastic.multiprocessing.errors`."""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_VARIABLE = "TORCHELASTIC_ERROR_FILE"


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Let the launcher know what a rank's main function raises: its message is in the report of the attempt.

    Args:
        fn: the main function.
        error_handler: not looked at.

    Returns:
        The function, which writes an exception to the file that TORCHELASTIC_ERROR_FILE names, and raises it.

    Example:
        >>> from specgrad.distributed.elastic.multiprocessing.errors import record
        >>> @record
        ... def main():
        ...     return 3
        >>> main()
        3
    """

    @functools.wraps(fn)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        with suppress(OSError, ValueError, AttributeError):  # where errors go to no file
            faulthandler.enable(all_threads=True)
        try:
            return fn(*args, **kwargs)
        except SystemExit as end:
            if end.code == 0:
                return None
            raise
        except Exception as error:
            _write(error)
            raise

    return recorded


def _write(error: Exception) -> None:
    name = os.environ.get(_VARIABLE)
    if name:
        extra = {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}
        message = {"message": f"{type(error).__name__}: {error}", "extraInfo": extra}
        Path(name).write_text(json.dumps({"message": message}), encoding="utf-8")
