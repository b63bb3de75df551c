"""What docs/wrong-result.md says to run when a result looks wrong."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT

PAGE = (ROOT / "docs" / "wrong-result.md").read_text(encoding="utf-8")
SETTINGS = ["SPECGRAD_NATIVE=0", "SPECGRAD_NATIVE=1", *set(re.findall(r"`(SPECGRAD_NATIVE=check[\w= ]*)`", PAGE))]
PROGRAM = """
import specgrad as sg
x = sg.tensor([2.0, 4.0, 8.0], requires_grad=True)
for _ in range(3):
    y = (x * x.logsumexp(0)).softmax(0)[1:].sum()
    y.backward()
print(y.item().hex(), [number.hex() for number in x.grad.tolist()])
"""
# What a kernel does that writes one element too many.
BEYOND = """
import ctypes
import numpy as np

def test_a_write():
    a = np.zeros(4)
    ctypes.c_double.from_address(a.ctypes.data + 8 * {index}).value = 1.0
    del a
"""


def ran(command: list[str], settings: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "",
        **dict(pair.split("=") for pair in settings.split()),
    }
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)


def test_every_setting_gives_the_same_bits() -> None:
    """Native code, Python, both compared, and with memory that is overwritten when it is freed."""
    assert len(SETTINGS) == 4
    found = {settings: ran(["-c", PROGRAM], settings) for settings in SETTINGS}
    assert [done.stderr for done in found.values() if done.returncode] == []
    assert len({done.stdout for done in found.values()}) == 1


@pytest.mark.parametrize("index", [3, 4, -1])
def test_a_write_beside_an_array_fails_the_test(index: int, tmp_path: Path) -> None:
    """With SPECGRAD_GUARDS=1, where an array is freed; a write to its last element does not."""
    (tmp_path / "test_beyond.py").write_text(BEYOND.format(index=index), encoding="utf-8")
    command = ["-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "test_beyond.py"]
    done = ran(command, "SPECGRAD_GUARDS=1", tmp_path)
    assert (done.returncode == 0) is (index == 3), done.stdout
    assert index == 3 or "written outside" in done.stdout
