"""state_dict of optimizers."""

import copy
from typing import Any

import pytest

import specgrad as sg

from .steps import GRADS, steps


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_state_dict_continues(lib: Any, name: str) -> None:
    """A loaded optimizer goes on as the saved one would have, and shares nothing with it."""
    options = {"lr": 0.1, "momentum": 0.9} if name == "SGD" else {"lr": 0.1, "amsgrad": True}
    p, optimizer = steps(lib, name, options, lib.float64)
    q = p.detach().clone().requires_grad_()
    other = getattr(lib.optim, name)([q], lr=7.0)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert other.param_groups[0]["lr"] == 0.1
    for x, o in ((p, optimizer), (q, other)):
        x.grad = lib.from_numpy(GRADS[0])
        o.step()
    assert (p == q).all()


def test_state_dict_format(lib: Any) -> None:
    """State by number of the parameter, groups with numbers in place of tensors."""
    p, q = lib.ones(1, requires_grad=True), lib.ones(1, requires_grad=True)
    optimizer = lib.optim.Adam([{"params": [p]}, {"params": [q], "lr": 0.5}])
    q.grad = lib.ones(1)
    optimizer.step()
    state = optimizer.state_dict()
    assert [group["params"] for group in state["param_groups"]] == [[0], [1]]
    assert [group["lr"] for group in state["param_groups"]] == [1e-3, 0.5]
    assert list(state["state"]) == [1]
    assert list(state["state"][1]) == ["step", "exp_avg", "exp_avg_sq"]
    assert state["state"][1]["step"].item() == 1


def test_loaded_state_is_a_copy() -> None:
    """Two optimizers that loaded the same dict do not share their state."""
    p, optimizer = steps(sg, "Adam", {}, sg.float64)
    other = sg.optim.Adam([p.detach().clone().requires_grad_()])
    other.load_state_dict(optimizer.state_dict())
    mine, theirs = next(iter(optimizer.state.values())), next(iter(other.state.values()))
    before = theirs["exp_avg"].clone()
    mine["exp_avg"].fill_(0)
    assert (theirs["exp_avg"] == before).all() and theirs["step"] is not mine["step"]


def test_loading_converts(lib: Any) -> None:
    """State is converted to the parameter's dtype; the number of steps is not."""
    _, optimizer = steps(lib, "Adam", {}, lib.float64)
    q = lib.ones(3, 4, requires_grad=True)
    other = lib.optim.Adam([q])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[q]["exp_avg"].dtype == lib.float32 and other.state[q]["step"].item() == 6
    q.grad = lib.ones(3, 4)
    other.step()


def test_loading_mismatch(lib: Any) -> None:
    """Groups must agree in number and size."""
    p, q = lib.ones(1, requires_grad=True), lib.ones(1, requires_grad=True)
    state = lib.optim.SGD([p, q]).state_dict()
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        lib.optim.SGD([p]).load_state_dict(state)
    with pytest.raises(ValueError, match="different number of parameter groups"):
        lib.optim.SGD([{"params": [p]}, {"params": [q]}]).load_state_dict(state)


def test_state_dict_hooks(lib: Any) -> None:
    """Hooks around saving and loading run in order and may replace the dict."""
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.1)
    order: list[str] = []
    optimizer.register_state_dict_pre_hook(lambda o: order.append("pre"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: order.append(f"load {state['extra']}"))
    optimizer.register_load_state_dict_post_hook(lambda o: order.append("loaded"))
    handle = optimizer.register_load_state_dict_post_hook(lambda o: order.append("first"), prepend=True)
    optimizer.load_state_dict(optimizer.state_dict())
    assert order == ["pre", "load 1", "first", "loaded"]
    handle.remove()


def test_deepcopy_and_repr(lib: Any) -> None:
    """Optimizers can be copied, and print their groups."""
    optimizer = lib.optim.SGD([{"params": [lib.ones(1, requires_grad=True)]}], lr=0.1)
    assert copy.deepcopy(optimizer).param_groups[0]["lr"] == 0.1
    text = repr(optimizer)
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0\n") and "    lr: 0.1\n" in text


def test_an_optimizer_around_another(lib: Any) -> None:
    """A subclass that does without `__init__`, and hands its step on, needs no hooks of its own."""

    class Around(lib.optim.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def step(self, closure: Any = None) -> None:
            self.inner.step()

    weight = lib.nn.Parameter(lib.ones(1))
    weight.sum().backward()
    Around(lib.optim.SGD([weight], lr=0.5)).step()
    assert weight.item() == 0.5
