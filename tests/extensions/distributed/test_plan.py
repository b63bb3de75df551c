"""The command that plans steps on more ranks than there are here."""

import json
import re
import sys
from pathlib import Path

import pytest

from specgrad.nn.parallel.planning.command import main
from specgrad.nn.parallel.planning.measure import load
from tests.extensions.distributed.test_on_mpi import run

MODEL = """
import specgrad as torch
from specgrad import nn

def model():
    return nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 8))

def batch():
    return torch.randn(32, 64)

def loss(model, batch):
    return model(batch).square().mean()
"""


def test_a_plan(tmp_path: Path) -> None:
    """Layers, bytes and predictions for a model; the network of other machines counts from the third rank on."""
    script, saved = tmp_path / "model.py", tmp_path / "machine.json"
    script.write_text(MODEL)
    options = ["--latency", "1", "--bandwidth", "1e9", "--cores", "2", "--save", str(saved), "--check", "2"]
    done = run(sys.executable, "-m", "specgrad.distributed.plan", str(script), *options)
    assert done.returncode == 0, done.stderr
    assert "gradients: 0.04 MB" in done.stdout  # 4 * (64 * 128 + 128 + 128 * 8 + 8) bytes
    sizes = {line.split()[0]: line.split()[1:3] for line in re.findall(r"^[02] +0\.\d.*", done.stdout, re.MULTILINE)}
    assert sizes == {"0": ["0.033", "0.016"], "2": ["0.004", "0.001"]}
    assert "assumed:" in done.stdout and "the network that was given" in done.stdout
    seconds = {int(line.split()[0]): float(line.split()[1]) / 1e3 for line in _table(done.stdout)}
    assert [*seconds] == [2**power for power in range(13)]
    assert seconds[2] < 1 < 2 < seconds[4] < 2.5  # one small bucket: two messages, of a second each
    assert re.search(r"^ranks here +measured, ms +plan, ms +\n +2 ", done.stdout, re.MULTILINE)
    found = json.loads(saved.read_text())
    assert found["cores"] == 2 and found["between"][:2] == [1.0, 1e9] and found["inside"][0] < 0.1


def _table(text: str) -> list[str]:
    """The lines of predictions."""
    return text.partition(" ranks ")[2].partition("assumed")[0].strip().splitlines()[1:]


def test_programs_that_describe_no_training(tmp_path: Path) -> None:
    """What a program lacks is named."""
    script = tmp_path / "model.py"
    script.write_text("def model(): ...\n")
    with pytest.raises(ValueError, match=r"model\.py has no function batch, loss: it is to define model\(\), batch"):
        load(str(script))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "name a program"),
        (["--measure", "--check", "2"], "--check needs a model"),
        (["--measure", "--latency", "0"], "--latency must be greater than 0"),
        (["--measure", "--core-share", "2"], "--core-share must be from 0 to 1"),
        (["--measure", "--ranks", "0"], "numbers of ranks begin at 1"),
    ],
)
def test_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that say nothing are refused."""
    with pytest.raises(SystemExit):
        main(options)
    assert message in capsys.readouterr().err
