"""safetensors: files of tensors written and read, and a model saved and loaded."""

import os
import tempfile

import torch
from fixed import filled, numbers, show
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from torch import nn

folder = tempfile.mkdtemp()
path = os.path.join(folder, "some.safetensors")
tensors = {
    "float": numbers(3, 4),
    "double": numbers(2).double(),
    "bfloat16": numbers(5).to(torch.bfloat16),
    "half": numbers(5).half(),
    "long": torch.arange(4),
    "bool": torch.tensor([True, False]),
    "empty": torch.zeros(0, 2),
}
save_file(tensors, path, metadata={"format": "pt"})
for name, tensor in load_file(path).items():
    assert tensor.dtype == tensors[name].dtype and torch.equal(tensor, tensors[name]), name
    show(name, tensor)
again = load(save(tensors))
show("bytes", again["float"])
with safe_open(path, framework="pt") as file:
    show("keys", len(file.keys()))
    show("slice", file.get_slice("float")[1:, :2])
model, other = (
    filled(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))),
    nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)),
)
save_model(model, path)
print("missing", *map(len, load_model(other, path)))
show("model", other(numbers(4, 3)))
