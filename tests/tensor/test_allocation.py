"""Memory of freed arrays is used again instead of being taken from the operating system anew."""

import os
import platform
import subprocess
import sys

import pytest

from specgrad.runtime.tensor.allocation import keep_freed_memory

COUNT = """
import resource
import numpy as np
import specgrad

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

for _ in range(3):
    [np.ones(1 << 18) for _ in range(3)]
before = faults()
for _ in range(20):
    [np.ones(1 << 18) for _ in range(3)]
print(faults() - before)
"""
COMPLIES = sys.platform == "linux" and bool(platform.libc_ver()[0])  # glibc
PAGES = 20 * 3 * 512  # of all arrays that are made


def faults(**environment: str) -> int:
    """The page faults of making large arrays again and again."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    command = [sys.executable, "-c", COUNT]
    done = subprocess.run(command, env=clean | environment, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_freed_memory_is_kept() -> None:
    """Making arrays of 2 MiB again costs next to no page faults."""
    assert faults() < PAGES / 20 or not COMPLIES


def test_the_user_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings in the environment are left alone."""
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "0")
    assert not keep_freed_memory()
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=0")
    assert not keep_freed_memory()
