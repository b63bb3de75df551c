"""The launcher that comes with the MPI library."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def mpiexec() -> str:
    """The launcher of the MPI library: the one beside this interpreter, where mpich was installed as a wheel.

    Raises:
        RuntimeError: there is none.
    """
    beside = Path(sys.executable).with_name("mpiexec")
    result = str(beside) if beside.exists() else shutil.which("mpiexec")
    if result is None:
        raise RuntimeError("there is no mpiexec here, beside this Python or in PATH: pip install specgrad[distributed]")
    return result
