"""Whole modules, optimizers and schedulers in files, PyTorch's too: what is safe is read, and nothing else."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pytest

import specgrad as sg
from specgrad import nn
from specgrad.runtime.errors import SerializationError
from tests.extensions.serialization.test_checkpoints import FILES

pytestmark = pytest.mark.cpu("files are read by the CPU")
# Losses that PyTorch 2.13 printed for the three steps after it had written a file.
LOSSES = {
    "whole.pt": [0.6948112845420837, 0.6738400459289551, 0.6505153179168701],
    "whole_older.pt": [0.7103910446166992, 0.7095655798912048, 0.7087401747703552],
}
LAYERS = {
    "torch.nn.modules.linear.Linear": nn.Linear(3, 2),
    "torch.nn.modules.conv.Conv2d": nn.Conv2d(2, 3, 2, padding_mode="reflect", padding=1),
    "torch.nn.modules.batchnorm.BatchNorm1d": nn.BatchNorm1d(3),
    "torch.nn.modules.activation.ReLU": nn.ReLU(inplace=True),
    "torch.nn.modules.container.Sequential": nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.25)),
    "torch.nn.modules.container.ModuleDict": nn.ModuleDict({"a": nn.GELU()}),
    "torch.nn.modules.activation.MultiheadAttention": nn.MultiheadAttention(
        4, 2
    ),  # has a NonDynamicallyQuantizableLinear
    "torch.nn.modules.transformer.TransformerEncoderLayer": nn.TransformerEncoderLayer(4, 2, 3, activation="gelu"),
    "torch.nn.modules.rnn.LSTM": nn.LSTM(2, 3, bidirectional=True),
    "torch.nn.modules.sparse.Embedding": nn.Embedding(3, 2, padding_idx=1),
    "torch.nn.modules.loss.CrossEntropyLoss": nn.CrossEntropyLoss(weight=sg.ones(2)),
}


def saved(obj: Any) -> io.BytesIO:
    """A file of `save`, in which layers have PyTorch's names."""
    file, result = io.BytesIO(), io.BytesIO()
    sg.save(obj, file)
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(result, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith("/data.pkl"):
                data = re.sub(rb"cspecgrad\.nn\.modules\.(\w+)[\w.]*\n", rb"ctorch.nn.modules.\1\n", data)
            target.writestr(name, data)
    result.seek(0)
    return result


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str) -> None:
    """A layer under PyTorch's name is one of specgrad's, with all of its state."""
    layer = LAYERS[name].eval()
    file = saved(layer)
    assert f"c{name.rpartition('.')[0]}\n{type(layer).__name__}\n".encode() in file.getvalue()
    found = sg.load(file)
    assert type(found) is type(layer) and repr(found) == repr(layer) and not found.training
    assert found.__dict__.keys() == layer.__dict__.keys()
    for (key, value), (other, expected) in zip(found.state_dict().items(), layer.state_dict().items(), strict=True):
        assert key == other and value.tolist() == expected.tolist()
    assert [parameter.requires_grad for parameter in found.parameters()] == [True] * len(list(layer.parameters()))


@pytest.mark.parametrize("name", LOSSES)
def test_training_goes_on(name: str) -> None:
    """A model, a loss, an optimizer and a scheduler of a file of PyTorch's go on as PyTorch did."""
    found = sg.load(FILES / name)
    model, loss, optimizer, scheduler = (found[part] for part in ("model", "loss", "optimizer", "scheduler"))
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        output = model(found["input"])
        value = loss(output, sg.ones_like(output))
        value.backward()
        optimizer.step()
        scheduler.step()
        losses.append(value.item())
    assert losses == pytest.approx(LOSSES[name], rel=1e-5)


@pytest.mark.parametrize("optimizer", [sg.optim.Adam, sg.optim.SGD, sg.optim.LBFGS])
def test_own_files(optimizer: Any) -> None:
    """What specgrad has written comes back, tied to the parameters of the model beside it."""
    model = nn.Sequential(nn.Linear(2, 1), nn.Tanh())
    first = optimizer(model.parameters(), lr=0.5)
    found = sg.load(
        saved([model, first, sg.optim.lr_scheduler.ExponentialLR(first, 0.25), nn.functional.relu, sg.relu])
    )
    assert found[1].param_groups[0]["params"][0] is found[0][0].weight
    assert type(found[1]) is optimizer and found[1].param_groups[0]["lr"] == 0.5
    assert found[2].optimizer is found[1] and found[2].gamma == 0.25
    assert found[3] is nn.functional.relu and found[4] is nn.functional.relu


class Net(nn.Module):
    """A class of a program's own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)


def test_classes_of_a_program() -> None:
    """They are refused by their name until the program says that they are safe; so is what could run any code."""
    message = r"^load\(\): the file names \S+\.Net, which load does not know to be safe: .* by safe_globals\(\[Net\]\)$"
    with pytest.raises(SerializationError, match=message):
        sg.load(saved(Net()))
    with sg.serialization.safe_globals([Net]):
        assert isinstance(sg.load(saved(Net())), Net)
    hooked = nn.Linear(2, 2)
    hooked.register_forward_hook(print)
    with pytest.raises(SerializationError, match=r"^load\(\): the file names \S+\.print, which could run any code"):
        sg.load(saved(hooked))
