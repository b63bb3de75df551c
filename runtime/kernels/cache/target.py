"""The processor that kernels are compiled for, and the levels of processors that carried machine code is for.

A level is a set of instructions that LLVM knows by a name. Code for a level runs on every processor that has them.
NUMBA_CPU_NAME and NUMBA_CPU_FEATURES choose a processor that kernels are compiled for, as they do for numba.
"""

from __future__ import annotations

import functools
import os
import platform
import sys
from typing import NamedTuple


class Target(NamedTuple):
    """What LLVM compiles for."""

    triple: str
    name: str
    features: str


class Level(NamedTuple):
    """The instructions that a level adds to those of the level below, in LLVM's names."""

    name: str
    instructions: tuple[str, ...]


# From the least to the best.
LEVELS = {
    "x86_64": (
        Level("x86-64-v2", ("cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2")),
        Level("x86-64-v3", ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")),
        Level("x86-64-v4", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")),
    ),
    "aarch64": (Level("generic", ()),),
}


@functools.cache
def host() -> Target:
    """The processor that kernels are compiled for: this one, unless another has been named."""
    from llvmlite import binding

    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:
        features = binding.get_host_cpu_features().flatten()
    return Target(binding.get_process_triple(), name, features)


@functools.cache
def levels() -> tuple[Target, ...]:
    """The levels whose code runs here, the best first: those that a processor that was named has, or this one."""
    known = LEVELS.get(platform.machine(), ())
    names = [level.name for level in known]
    if "NUMBA_CPU_NAME" in os.environ or "NUMBA_CPU_FEATURES" in os.environ:
        count = names.index(host().name) + 1 if host().name in names and not host().features else 0
    else:
        has = host().features.split(",")
        fits = [all(f"+{one}" in has for one in level.instructions) for level in known]
        count = (*fits, False).index(False)
    return tuple(Target(host().triple, name, "") for name in reversed(names[:count]))


@functools.cache
def versions() -> tuple[str, ...]:
    """What decides how code is compiled and how it is called, besides its text."""
    from importlib.metadata import version

    numpy = ".".join(version("numpy").split(".")[:2])
    return (f"{sys.implementation.cache_tag}", version("numba"), version("llvmlite"), numpy)
