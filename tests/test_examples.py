"""The examples do what their README says (`make demo` runs them whole, with their own requirements).

The README's own and the demo's network train on a device when one word of them changes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.places import simulated_device
from tests.repository import ROOT

NEW_OP = ROOT / "examples" / "new_op"
OPS = ROOT / "examples" / "ops"
USE = """
import sys

sys.path.insert(0, sys.argv[1])
import specgrad as sg
from my_ops import pswish

x, beta = (sg.randn(shape, dtype=sg.float64, requires_grad=True) for shape in [(2, 3, 4), (3, 1)])
assert sg.autograd.gradcheck(pswish, (x, beta))
assert sg.allclose(pswish(x, sg.ones(1, dtype=sg.float64)), sg.nn.functional.silu(x))
"""

STEPS = 5  # of the README's 500
# Two passes over random pictures, with the demo's own functions; prints losses, scores and where they were computed.
# eps is so large because biases before a batch norm have gradients that are rounding, which AdamW would make steps of.
PASSES = """
import json

from network import digit_network
from training import DEVICE, scores, train_epoch

import specgrad as torch
from specgrad.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images, labels = torch.rand(4, 1, 8, 8), torch.tensor([3, 1, 4, 1])
model = digit_network(2).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, eps=1e-3)
loader = DataLoader(TensorDataset(images, labels), batch_size=2, shuffle=True)
losses = [train_epoch(model, optimizer, loader, lambda: None) for _ in range(2)]
found = scores(model, images.to(DEVICE))
print(json.dumps([losses, found.tolist(), found.device.type]))
"""


def test_new_op_is_accepted_and_works(tmp_path: Path) -> None:
    """my_ops.yaml passes all checks, and the package it makes computes and differentiates."""
    make = ["-m", "specgrad.codegen", str(NEW_OP / "my_ops.yaml"), "--out", str(tmp_path / "my_ops")]
    for arguments in (make, ["-c", USE, str(tmp_path)]):
        done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_formula_is_refused() -> None:
    """The slip in wrong_ops.yaml is found, with the line and the argument."""
    done = subprocess.run([sys.executable, NEW_OP / "refused.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong_ops.yaml:8" in done.stdout and "gradient of self" in done.stdout


def test_the_demo_says_what_it_does() -> None:
    """`make demo` announces the installation with its size, and has a heading for each step."""
    command = ["make", "--dry-run", "demo", "VENV=out/none"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "Installing specgrad[demo] into out/none (0.6 GB on disk)" in shown
    assert re.findall(r"'(\d)\. ", shown) == ["1", "2", "3", "4"]


def test_profile_and_draw() -> None:
    """The program profiles what it says, and leaves a trace with arrows and a picture with all parameters."""
    program = ROOT / "examples" / "profile_and_draw" / "profile_and_draw.py"
    done = subprocess.run([sys.executable, "-W", "error", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ConvolutionBackward0" in done.stdout


def with_word(path: Path, word: str) -> str:
    """The text of a file with the word in the place of the one that says where it computes."""
    text = path.read_text(encoding="utf-8")
    assert text.count('"cpu"') == 1
    return text.replace('"cpu"', f'"{word}"')


def test_the_example_of_the_readme() -> None:
    """On a device it has the loss and the parameters of the CPU, on which it runs as it stands."""

    def trained(word: str) -> Any:
        code = with_word(ROOT / "README.md", word).split("```python\n")[1].partition("print(")[0]
        assert "range(500)" in code
        names: dict[str, Any] = {}
        try:
            exec(code.replace("range(500)", f"range({STEPS})"), names)
        finally:
            sg.set_default_device(None)
        assert all(p.device.type == word for p in names["model"].parameters())
        return [t.detach().cpu().numpy() for t in (names["loss"], *names["model"].parameters())]

    with simulated_device():
        for found, expected in zip(trained("cuda"), trained("cpu"), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the demo with the package that is generated from its spec."""
    folder = tmp_path_factory.mktemp("demo") / "new_op"
    shutil.copytree(NEW_OP, folder, ignore=shutil.ignore_patterns("my_ops", "__pycache__"))
    run(folder, "-m", "specgrad.codegen", "my_ops.yaml", "--out", "my_ops", "--no-verify")
    return folder


def run(folder: Path, *command: str) -> str:
    """What a Python program in a folder prints that finds specgrad here and has a simulated device."""
    added = {"PYTHONPATH": str(ROOT), "SPECGRAD_CUDA": "simulated", "SPECGRAD_CUDA_FALLBACK": "silent"}
    command = (sys.executable, *command)
    done = subprocess.run(command, cwd=folder, env=os.environ | added, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_network_of_the_demo(demo: Path) -> None:
    """Its losses and scores are those of the CPU; the op that the demo adds has its kernels there."""

    def trained(word: str) -> Any:
        (demo / "training.py").write_text(with_word(NEW_OP / "training.py", word), encoding="utf-8")
        losses, scores, index = json.loads(run(demo, "-c", PASSES))
        assert index == word
        return np.array(losses), np.array(scores)

    for found, expected in zip(trained("cuda"), trained("cpu"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_ops_of_twelve_lines(tmp_path: Path) -> None:
    """Each op is said in at most twelve lines, and agrees with its reference, of which none is missing."""
    folder = tmp_path / "ops"
    shutil.copytree(OPS, folder, ignore=shutil.ignore_patterns("my_ops", "__pycache__"))
    entries = re.split(r"\n\n", (folder / "ops.yaml").read_text(encoding="utf-8"))
    named = {entry.split(": ")[1].partition("(")[0]: entry for entry in entries if entry.startswith("- name: ")}
    assert [name for name, entry in named.items() if entry.strip().count("\n") >= 12] == []
    run(folder, "-m", "specgrad.codegen", "ops.yaml", "--out", "my_ops", "--no-verify")
    shown = run(folder, "compare.py")
    assert {line.split()[0] for line in shown.splitlines()[1:-1]} == {*named}
