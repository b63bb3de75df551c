"""What `python -m specgrad.distributed.run` starts as each rank: the program, with its numbers in the environment."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Mapping

# What programs for PyTorch's launcher read, by what launchers of MPI libraries say: mpich's, then Open MPI's.
_NAMES = {
    "RANK": ("PMI_RANK", "OMPI_COMM_WORLD_RANK"),
    "WORLD_SIZE": ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE"),
    "LOCAL_RANK": ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "LOCAL_WORLD_SIZE": ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"),
}


def numbers(environment: Mapping[str, str]) -> dict[str, str]:
    """The numbers of this rank under the names that PyTorch's launcher gives them.

    Args:
        environment: what the launcher of the MPI library has set.
    """
    told = {name: next((environment[one] for one in said if one in environment), "") for name, said in _NAMES.items()}
    return {name: number for name, number in told.items() if number}


def main(words: list[str]) -> None:
    """Run the program.

    Args:
        words: `-m` if it is a module, its name, and its arguments.
    """
    os.environ.update(numbers(os.environ))
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path.insert(0, os.path.dirname(os.path.abspath(words[0])))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
