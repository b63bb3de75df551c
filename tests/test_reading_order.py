"""The files that ARCHITECTURE.md names to follow a program in Python are those that it enters, in that order."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.repository import ROOT

FOLLOWED = """
import sys
import specgrad as sg

def program(rows):
    a, b = (sg.ones(rows, 4, requires_grad=True) for _ in range(2))
    return lambda: (a * b).sum().backward()

def note(frame, event, argument):
    if event == "call":
        entered[frame.f_code.co_filename, frame.f_code.co_name] = None

program(2)()  # kernels are compiled, and modules loaded, before
followed, entered = program(3), {}
sys.setprofile(note)
followed()
sys.setprofile(None)
print(*(f"{file}:{name}" for (file, name) in entered), sep="\\n")
"""


def test_the_reading_order_is_that_of_the_program() -> None:
    """Each file is entered by the functions named with it, and first entered after those before it in the list."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    listed = text.partition("To follow `(a * b).sum().backward()`")[2].partition(" The kernels of\n")[0]
    files = re.findall(r"`([\w/]+\.py)`\s\(((?:`\w+`(?:, )?)+)\)", listed)
    assert len(files) == listed.count(".py`") == 15
    environment = {**os.environ, "SPECGRAD_NATIVE": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", FOLLOWED]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    entered = [line.split("specgrad/")[-1] for line in done.stdout.split("\n")]
    positions = [[entered.index(f"{file}:{name}") for name in re.findall(r"\w+", names)] for file, names in files]
    assert [min(found) for found in positions] == sorted(min(found) for found in positions)
