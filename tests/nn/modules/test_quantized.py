"""Models for integers that compute with floats."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg


def test_marks_are_identities(lib: Any) -> None:
    """Quantizing comes when a model is converted."""
    import importlib

    parts = importlib.import_module(f"{lib.__name__}.ao.quantization")
    x = lib.tensor([1.0, -2.0])
    assert parts.QuantStub()(x) is x and parts.DeQuantStub()(x) is x
    assert parts.QuantWrapper(lib.nn.ReLU())(x).tolist() == [1.0, 0.0]


def test_sums_and_products(lib: Any) -> None:
    """They are those of tensors, and a hook sees the results of two tensors."""
    f, x, y = lib.nn.quantized.FloatFunctional(), lib.tensor([1.0, -2.0]), lib.tensor([3.0, 1.0])
    seen: list[Any] = []
    f.activation_post_process.register_forward_hook(lambda module, args, out: seen.append(out.tolist()))
    assert f.add(x, y).tolist() == [4.0, -1.0]
    assert f.mul(x, y).tolist() == [3.0, -2.0]
    assert f.add_relu(x, y).tolist() == [4.0, 0.0]
    assert f.cat([x, y]).tolist() == [1.0, -2.0, 3.0, 1.0]
    assert f.matmul(x, y).item() == 1.0
    assert len(seen) == 5
    assert f.add_scalar(x, 1.0).tolist() == [2.0, -1.0] and f.mul_scalar(x, 2.0).tolist() == [2.0, -4.0]
    with pytest.raises(RuntimeError, match="not intended to use the 'forward'"):
        f(x)


@pytest.mark.parametrize("first", ["Conv2d", "ConvTranspose2d", "Linear"])
def test_layers_that_become_one(first: str) -> None:
    """The first computes what all did, the others nothing; the model that was given stays."""
    sg.manual_seed(0)
    is_linear = first == "Linear"
    layer = getattr(sg.nn, first)(4, 3, *([] if is_linear else [2]))
    norm: Any = sg.nn.BatchNorm1d(3) if is_linear else sg.nn.BatchNorm2d(3)
    x = sg.randn(5, 4) if is_linear else sg.randn(5, 4, 6, 6)
    model = sg.nn.Sequential(layer, norm, sg.nn.ReLU())
    model(x)
    model.eval()
    fused = sg.ao.quantization.fuse_modules(model, ["0", "1", "2"])
    assert isinstance(fused[2], sg.nn.Identity) and isinstance(model[1], type(norm))
    np.testing.assert_allclose(fused(x).detach().numpy(), model(x).detach().numpy(), atol=1e-5)


def test_what_cannot_be_done() -> None:
    """There are no quantized tensors, and layers in training stay apart."""
    with pytest.raises(NotImplementedError, match="no quantized tensors"):
        sg.ao.quantization.prepare(sg.nn.Linear(1, 1))
    with pytest.raises(NotImplementedError, match="layers for evaluation"):
        sg.ao.quantization.fuse_modules(sg.nn.Sequential(sg.nn.Linear(1, 1), sg.nn.ReLU()), ["0", "1"])
