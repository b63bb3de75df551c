"""`nn.parallel`: a batch in parts, copies of a module, and results as one."""

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn.parallel import data_parallel, gather, parallel_apply, replicate, scatter, scatter_kwargs

Pair = namedtuple("Pair", "a b")


def network() -> Any:
    """A net with parameters, a buffer, and a module that occurs twice."""
    shared = sg.nn.Linear(3, 3)
    return sg.nn.Sequential(shared, sg.nn.BatchNorm1d(3), sg.nn.Tanh(), shared, sg.nn.Linear(3, 2)).eval().double()


def test_parts_of_arguments() -> None:
    """Tensors are cut, whatever else goes to each device; containers keep their class."""
    x = sg.arange(10).view(5, 2)
    first, second = scatter((x, [x, "text"], {"k": x}, Pair(x, 3)), ["cpu", "cpu"])
    assert first[0].shape == (3, 2) and second[0].shape == (2, 2)
    assert second[1][1] == "text" and second[2]["k"].tolist() == x[3:].tolist()
    assert type(first[3]) is Pair and first[3].b == 3
    assert [part.shape[1] for part in scatter(x, ["cpu", "cpu"], dim=1)] == [1, 1]
    assert len(scatter(x[:1], ["cpu"] * 3)) == 1


def test_parts_by_place_and_by_name() -> None:
    """There are as many of both."""
    args, kwargs = scatter_kwargs((), {"x": sg.arange(4)}, ["cpu", "cpu"])
    assert args == ((), ()) and [part["x"].tolist() for part in kwargs] == [[0, 1], [2, 3]]
    args, kwargs = scatter_kwargs((sg.arange(1),), {"flag": True}, ["cpu", "cpu"])
    assert len(args) == len(kwargs) == 2 and kwargs[1] == {"flag": True}


def test_results_as_one() -> None:
    """Tensors are joined in containers of the results' class; numbers become a vector."""
    parts: list[Any] = [{"x": sg.ones(1, 2), "y": (sg.ones(2), None)}, {"x": sg.zeros(2, 2), "y": (sg.zeros(1), None)}]
    found = gather(parts, "cpu")
    assert found["x"].shape == (3, 2) and found["y"][0].tolist() == [1, 1, 0] and found["y"][1] is None
    assert type(gather([Pair(sg.ones(1), sg.ones(1))] * 2, "cpu")) is Pair
    assert type(gather([OrderedDict(a=sg.ones(1))] * 2, "cpu")) is OrderedDict
    with pytest.warns(UserWarning, match="scalars"):
        assert gather([sg.tensor(1.0), sg.tensor(2.0)], "cpu").tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="keys"):
        gather([{"a": sg.ones(1)}, {"b": sg.ones(1)}], "cpu")


def test_gradients_come_through_copies() -> None:
    """Copies on devices compute what the module computes, and its parameters get the sum of the gradients."""
    model, x = network(), sg.tensor(np.sin(np.arange(15.0)).reshape(5, 3))
    target_device = x.device
    full = model(x)
    full.square().sum().backward()
    expected = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    copies = replicate(model, [target_device, target_device])
    assert not any(isinstance(p, sg.nn.Parameter) for p in vars(copies[0][0]).values())
    found = gather(parallel_apply(copies, scatter(x, [target_device, target_device])), target_device)
    found.square().sum().backward()
    np.testing.assert_allclose(found.detach().cpu().numpy(), full.detach().cpu().numpy(), rtol=1e-12)
    for parameter, grad in zip(model.parameters(), expected, strict=True):
        np.testing.assert_allclose(parameter.grad.cpu().numpy(), grad.cpu().numpy(), rtol=1e-12)
    assert not any(
        t.requires_grad
        for t in replicate(model, [target_device], detach=True)[0][0].__dict__.values()
        if sg.is_tensor(t)
    )


def test_one_device() -> None:
    """With one device, or none, the module is called as it is; names in the state begin with `module`."""
    model, x = network(), sg.ones(4, 3, dtype=sg.float64)
    parallel = sg.nn.DataParallel(model)
    assert sg.equal(parallel(x), model(x)) and sg.equal(data_parallel(model, x), model(x))
    assert all(name.startswith("module.") for name in parallel.state_dict())
    assert sg.equal(parallel(input=x), model(x))


def test_errors_of_threads() -> None:
    """The error of a module is raised by the call; recording is as in the thread that calls."""

    def failing(x: Any) -> Any:
        raise KeyError("wrong")

    with pytest.raises(KeyError, match="wrong"):
        parallel_apply([failing, failing], [sg.ones(1), sg.ones(1)])
    with pytest.raises(ValueError, match="number of"):
        parallel_apply([failing], [])
    weight = sg.ones(1, requires_grad=True)
    with sg.no_grad():
        results = parallel_apply([lambda x: x * weight] * 2, [sg.ones(1)] * 2)
    assert not any(result.requires_grad for result in results)
