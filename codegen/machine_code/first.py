"""The list of kernels that training begins with: `python -m codegen.machine_code.first` writes it.

Small programs run, each in a process of its own. Listed is all that each of them compiles, in the order in which it
asks for it, for those who compile ahead (runtime/kernels/cache/ahead.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from specgrad.optim.optimizer import register_optimizer_step_post_hook
from specgrad.runtime.kernels import first
from specgrad.runtime.kernels.cache import ahead
from specgrad.runtime.kernels.cache.dispatchers import KernelCache

from .first_programs import PROGRAMS


def recorded(program: Callable[[], None]) -> Iterator[str]:
    """The lines of a program, with an empty one behind its first step."""
    result = dict[str, None]()
    load = KernelCache.load_overload

    def noted(self: Any, sig: Any, context: Any) -> Any:
        function = self.compiler.py_func
        line = first.line_of(function.__module__, function.__name__, getattr(sig, "args", sig))
        if line is not None:
            result[line] = None
        return load(self, sig, context)

    def ended(*_: Any) -> None:
        result[""] = None

    hook = register_optimizer_step_post_hook(ended)
    with patch.object(KernelCache, "load_overload", noted):
        program()
    hook.remove()
    return iter(result)


def part_of(name: str, folder: str) -> str:
    """The part of the list that a new process prints for a program."""
    environment = {**os.environ, ahead.SETTING: "0", "SPECGRAD_CACHE_DIR": folder}
    command = [sys.executable, "-m", __spec__.name, name]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    """Write the list, or print the part of one program."""
    for program in PROGRAMS:
        if program.__name__ in sys.argv[1:]:
            print(f"{ahead.MARK}{program.__name__}", *recorded(program), sep="\n")
    if not sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            parts = [part_of(program.__name__, folder) for program in PROGRAMS]
        ahead.LIST.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
