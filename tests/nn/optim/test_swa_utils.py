"""Averages of models over training."""

from typing import Any

import numpy as np
import pytest


def _trained(lib: Any, **options: Any) -> tuple[Any, Any, list[Any]]:
    """A model, its average after three updates, and the weights at each."""
    utils = lib.optim.swa_utils
    made = {name: getattr(utils, value)(0.75) for name, value in options.items() if name != "use_buffers"}
    model = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.BatchNorm1d(3))
    averaged, weights = utils.AveragedModel(model, use_buffers=options.get("use_buffers", False), **made), []
    for value in (1.0, 3.0, 11.0):
        with lib.no_grad():
            model[0].weight.fill_(value)
            model[1].running_mean.fill_(value)
        weights.append(value)
        averaged.update_parameters(model)
    return model, averaged, weights


@pytest.mark.parametrize("use_buffers", [False, True])
def test_equal_weights(lib: Any, use_buffers: bool) -> None:
    """The average of all updates; buffers are averaged as well, or are those of the last."""
    _, averaged, weights = _trained(lib, use_buffers=use_buffers)
    np.testing.assert_allclose(averaged.module[0].weight.detach().numpy(), np.full((3, 2), np.mean(weights)))
    expected = np.mean(weights) if use_buffers else weights[-1]
    np.testing.assert_allclose(averaged.module[1].running_mean.numpy(), np.full(3, expected))
    assert averaged.n_averaged.item() == 3 and "n_averaged" in averaged.state_dict()


@pytest.mark.parametrize("options", [{"avg_fn": "get_ema_avg_fn"}, {"multi_avg_fn": "get_ema_multi_avg_fn"}], ids=str)
def test_exponential_weights(lib: Any, options: dict[str, Any]) -> None:
    """Of the average 0.75 is kept in each update; the first one is the start."""
    _, averaged, _ = _trained(lib, **options)
    requested = 0.75 * (0.75 * 1 + 0.25 * 3) + 0.25 * 11
    np.testing.assert_allclose(averaged.module[0].weight.detach().numpy(), np.full((3, 2), requested))
    x = lib.ones(4, 2)
    assert lib.equal(averaged.eval()(x), averaged.module(x))


def test_statistics_anew(lib: Any) -> None:
    """update_bn computes running statistics from all batches alike, and leaves mode and momentum as they were."""
    model = lib.nn.Sequential(lib.nn.BatchNorm1d(1)).eval()
    batches = [(lib.tensor([[1.0], [3.0]]), None), [lib.tensor([[5.0], [9.0]])]]
    lib.optim.swa_utils.update_bn(batches, model)
    assert model[0].running_mean.item() == 4.5 and model[0].running_var.item() == 5.0
    assert model[0].momentum == 0.1 and not model.training


def _schedule(lib: Any, *arguments: Any) -> list[float]:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
    scheduler, found = lib.optim.swa_utils.SWALR(optimizer, *arguments), []
    for _ in range(5):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


def test_schedule(lib: Any) -> None:
    """From the step size to the constant, along a line or half a cosine, or at once."""
    assert _schedule(lib, 0.2, 4, "linear") == pytest.approx([1.0, 0.8, 0.6, 0.4, 0.2])
    cosine = [0.2 + 0.8 * (1 + np.cos(np.pi * t / 4)) / 2 for t in range(5)]
    assert _schedule(lib, 0.2, 4) == pytest.approx(cosine)
    assert _schedule(lib, [0.2], 0) == pytest.approx([0.2] * 5)


def test_refused(lib: Any) -> None:
    """Two averages, a decay that is no part, a strategy that is unknown."""
    utils = lib.optim.swa_utils
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn should be provided"):
        utils.AveragedModel(
            lib.nn.Linear(1, 1), avg_fn=utils.get_swa_avg_fn(), multi_avg_fn=utils.get_swa_multi_avg_fn()
        )
    with pytest.raises(ValueError, match="Invalid decay value 2 provided"):
        utils.get_ema_avg_fn(2)
    with pytest.raises(ValueError, match="anneal_strategy must be one of 'cos' or 'linear', instead got log"):
        _schedule(lib, 0.1, 2, "log")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0, got -1"):
        _schedule(lib, 0.1, -1)
