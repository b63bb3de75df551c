"""Devices: parsing, equality, and the error when there is no GPU."""

import copy
import pickle
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.device import device


@pytest.mark.parametrize(
    ("args", "kind", "index", "text"),
    [
        (("cpu",), "cpu", None, "device(type='cpu')"),
        (("cuda",), "cuda", None, "device(type='cuda')"),
        (("cuda:1",), "cuda", 1, "device(type='cuda', index=1)"),
        (("cuda", 1), "cuda", 1, "device(type='cuda', index=1)"),
        ((2,), "cuda", 2, "device(type='cuda', index=2)"),
        (("cpu:0",), "cpu", 0, "device(type='cpu', index=0)"),
    ],
)
def test_device(args: tuple, kind: str, index: int | None, text: str) -> None:
    """A device is a type and an index in any of PyTorch's spellings, and survives copying and pickling."""
    d = sg.device(*args)
    assert (d.type, d.index, repr(d)) == (kind, index, text)
    assert d == sg.device(d) == sg.device(str(d)) == copy.deepcopy(d) == pickle.loads(pickle.dumps(d))
    assert hash(d) == hash(sg.device(str(d)))


def test_equality_and_immutability() -> None:
    """Devices with another type or index differ; no attribute can be set."""
    assert sg.device("cpu") != sg.device("cpu:0")
    assert sg.device("cuda:0") != sg.device("cuda:1")
    assert sg.device("cpu") != "cpu"
    assert str(sg.device("cuda:1")) == "cuda:1"
    assert sg.device(type="cuda", index=1) == sg.device("cuda:1")
    with pytest.raises(AttributeError, match="immutable"):
        sg.device("cpu").index = 1


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        (("gpu",), RuntimeError, "expected one of cpu, cuda, meta at the start of the device string: 'gpu'"),
        (("cuda:x",), RuntimeError, "invalid device string: 'cuda:x'"),
        (("cuda:",), RuntimeError, "invalid device string"),
        (("cuda:-1",), RuntimeError, "invalid device string"),
        (("cuda:0", 1), RuntimeError, "must not include an index"),
        (("cuda", -1), RuntimeError, "must not be negative"),
        (("cuda", "a"), TypeError, "argument 'index' must be int, not str"),
        ((1.5,), TypeError, "argument 'type' must be str, int or device, not float"),
        ((None,), TypeError, "not NoneType"),
        ((True,), TypeError, "not bool"),
    ],
)
def test_bad_device(args: tuple, error: type[Exception], message: str) -> None:
    """A wrong device is refused with what is wrong in it."""
    with pytest.raises(error, match=message):
        sg.device(*args)


@pytest.mark.parametrize("spec", [None, "cpu", "cpu:0", sg.device("cpu")])
def test_resolve_cpu(spec: Any) -> None:
    """Everything that means the CPU resolves to the one CPU device."""
    assert device.resolve(spec) is device.CPU


def test_resolve_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CUDA device gets an index; without a GPU it is an error that says so."""
    monkeypatch.setattr(device, "cuda_device_count", lambda: 2)
    assert device.resolve("cuda") == sg.device("cuda:0")
    assert device.resolve(1) == sg.device("cuda:1")
    with pytest.raises(RuntimeError, match="invalid device ordinal: expected a number below 2, but got 2"):
        device.resolve("cuda:2")
    monkeypatch.setattr(device, "cuda_device_count", lambda: 0)
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver on your system.*asked for a CUDA device"):
        device.resolve("cuda:1")
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver on your system.*asked for a CUDA device"):
        sg.zeros(2, device="cuda")
