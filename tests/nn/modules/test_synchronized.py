"""Layers for several processes or devices do with one what their plain forms do."""

from typing import Any

import pytest

from tests.examples import array, close, reals


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 4), (2, 3, 2, 2, 2)])
def test_batch_norm_of_one_process(lib: Any, shape: tuple[int, ...]) -> None:
    """Zero mean and unit variance by the batch, then by running estimates."""
    x = reals(lib, *shape)
    layer = lib.nn.SyncBatchNorm(3, dtype=lib.float64)
    dims = tuple(d for d in range(x.ndim) if d != 1)
    values, sides = array(x), [1, 3] + [1] * (x.ndim - 2)
    mean, variance = values.mean(dims), values.var(dims)
    close(layer(x), (values - mean.reshape(sides)) / (variance.reshape(sides) + 1e-5) ** 0.5)
    count = values.size // 3
    close(layer.running_mean, 0.1 * mean)
    close(layer.running_var, 0.9 + 0.1 * variance * count / (count - 1))
    assert list(layer.state_dict()) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    with pytest.raises(ValueError, match="expected at least 2D input"):
        layer(lib.ones(3, dtype=lib.float64))


def test_conversion(lib: Any) -> None:
    """Every batch norm of a model, which keeps its parameters, estimates and mode."""
    model = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.Sequential(lib.nn.BatchNorm1d(3, eps=0.1, momentum=0.5)))
    model(lib.randn(4, 2))
    norm = model.eval()[1][0]
    converted = lib.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    found = converted[1][0]
    assert converted is model and type(found) is lib.nn.SyncBatchNorm
    assert found.weight is norm.weight and found.running_mean is norm.running_mean and not found.training
    assert str(found) == "SyncBatchNorm(3, eps=0.1, momentum=0.5, affine=True, bias=True, track_running_stats=True)"
    x = lib.randn(4, 3)
    assert lib.equal(found(x), norm(x))
    plain = lib.nn.SyncBatchNorm.convert_sync_batchnorm(lib.nn.BatchNorm2d(2, affine=False, track_running_stats=False))
    assert plain.weight is None and plain.running_mean is None


def test_data_parallel_on_the_cpu(lib: Any) -> None:
    """The module, called as it is; its names get a prefix."""
    layer = lib.nn.Bilinear(2, 3, 4)
    parallel = lib.nn.DataParallel(layer)
    x, y = lib.randn(5, 2), lib.randn(5, 3)
    assert lib.equal(parallel(x, input2=y), layer(x, y))
    assert list(parallel.state_dict()) == ["module.weight", "module.bias"] and parallel.module is layer
    assert str(parallel).startswith("DataParallel(\n  (module): Bilinear(")
