"""What numba compiles for a first step: kernels and what they call, each once, and no function of strings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from specgrad.runtime.compiler.passes.target import scales
from tests.compiler.shipped_machines import MODULES

FIRST_STEP = """
import json, sys
from numba.core import event

class Noted(event.Listener):
    def __init__(self):
        self.found = []

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        self.found.append((str(function.__module__), function.__qualname__, str(event.data["args"])))

    def on_end(self, event):
        pass

import specgrad as sg
from specgrad import nn
from specgrad.runtime.compiler.cache import store as lowered

if not %s:
    lowered.find = lambda digest: None
noted = Noted()
with event.install_listener("numba:compile", noted):
    %s
print(json.dumps(noted.found))
"""

MLP = """
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = sg.optim.Adam(model.parameters())
    loss = nn.functional.cross_entropy(model(sg.randn(32, 64)), sg.randint(0, 10, (32,)))
    loss.backward()
    optimizer.step()
"""

# Whose kernels copy rows of arrays into others: by loops, as numba's way to do so makes messages out of shapes.
ROWS = """
    x = sg.rand(4, 5, 6, requires_grad=True)
    parts = [x.max(1).values, x.prod(1), x.softmax(1), x.cumprod(1), nn.functional.layer_norm(x, (6,)), sg.cdist(x, x)]
    parts.append(nn.functional.batch_norm(x[0], None, None, training=True))
    parts.append(nn.GRU(6, 3)(x)[0])
    sum(part.sum() for part in parts).backward()
"""


def compiled(program: str, folder: Path, prebuilt: bool = False) -> list[list[Any]]:
    """(module, function, types) of all that numba compiles where nothing has been, with or without what is carried.

    LLVM's passes come later and change none of it: what is compiled here is not optimised.
    """
    folders = {"SPECGRAD_CACHE_DIR": str(folder), "NUMBA_CACHE_DIR": str(folder)}
    environment = os.environ | folders | {"SPECGRAD_COMPILE_AHEAD": "0"}  # else who waits compiles for other programs
    if not prebuilt:  # what is carried was lowered to be optimised
        environment["NUMBA_OPT"] = "0"
    command = [sys.executable, "-c", FIRST_STEP % (prebuilt, program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: list[list[Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def of_strings(found: list[list[Any]]) -> list[list[Any]]:
    """A kernel that could raise a message with a shape in it takes two seconds longer, with fifty such functions."""
    return [entry for entry in found if "unicode" in entry[0] or "unicode" in entry[1]]


def test_rows_need_no_function_of_strings(tmp_path: Path) -> None:
    """Nor do kernels that copy rows of arrays."""
    found = compiled(ROWS, tmp_path)
    assert found and not of_strings(found)


def test_a_first_step_compiles_each_function_once(tmp_path: Path) -> None:
    """Some eighty: kernels by themselves, and their callees for each of the types that they are called with.

    A processor without an instruction for x 2^k, as of x86-64-v3, needs `scaled` and `power_of_two` in its place.
    """
    found = compiled(MLP, tmp_path)
    different = {tuple(entry) for entry in found}
    assert len(found) == len(different) <= (77 if scales() else 79)
    assert not of_strings(found) and not [module for module, _, _ in found if module.startswith("numba")]


@pytest.mark.skipif(not MODULES, reason="no modules are carried for such machines")
def test_numba_compiles_nothing_for_a_first_step(tmp_path: Path) -> None:
    """Its kernels come with specgrad as LLVM modules."""
    assert compiled(MLP, tmp_path, prebuilt=True) == []
