"""What optimizers save: PyTorch's keys, PyTorch's own files, names of parameters, and what does not fit."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import specgrad as sg

from .options import OPTIONS, sampled, step

MOMENTS = ["step", "exp_avg", "exp_avg_sq"]
LBFGS_KEYS = ["func_evals", "n_iter", "al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag"]
KEYS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("ASGD", {}, ["step", "eta", "mu", "ax"]),
    ("Adadelta", {}, ["step", "square_avg", "acc_delta"]),
    ("Adafactor", {}, ["step", "row_var", "col_var"]),
    ("Adagrad", {}, ["step", "sum"]),
    ("Adam", {}, MOMENTS),
    ("Adam", {"amsgrad": True}, [*MOMENTS, "max_exp_avg_sq"]),
    ("AdamW", {}, MOMENTS),
    ("Adamax", {}, ["step", "exp_avg", "exp_inf"]),
    ("LBFGS", {"max_iter": 3}, [*LBFGS_KEYS, "prev_flat_grad", "prev_loss"]),
    ("Muon", {}, ["momentum_buffer"]),
    ("NAdam", {}, ["step", "mu_product", "exp_avg", "exp_avg_sq"]),
    ("RAdam", {}, MOMENTS),
    ("RMSprop", {}, ["step", "square_avg"]),
    ("RMSprop", {"centered": True, "momentum": 0.9}, ["step", "square_avg", "momentum_buffer", "grad_avg"]),
    ("Rprop", {}, ["step", "prev", "step_size"]),
    ("SGD", {"momentum": 0.9}, ["momentum_buffer"]),
]


def parameters(lib: Any, dtype: Any = None) -> list[Any]:
    values = np.arange(12.0).reshape(3, 4) / 7, np.arange(6.0).reshape(2, 3) / 5
    return [lib.tensor(value, dtype=dtype or lib.float64).requires_grad_() for value in values]


@pytest.mark.parametrize(("name", "options", "keys"), KEYS)
def test_keys_of_the_state(lib: Any, name: str, options: dict[str, Any], keys: list[str]) -> None:
    """The state of a parameter has PyTorch's keys, in its order."""
    given = parameters(lib)
    optimizer = getattr(lib.optim, name)(given, **options)
    for _ in range(2):
        step(given, optimizer)
    assert list(optimizer.state_dict()["state"][0]) == keys


def test_sgd_without_momentum(lib: Any) -> None:
    """A rule that keeps nothing has no state."""
    given = parameters(lib)
    optimizer = lib.optim.SGD(given)
    step(given, optimizer)
    assert optimizer.state_dict()["state"] == {}


@pytest.mark.parametrize("name", ["ASGD", "Adagrad", "Adam", "NAdam"])
@pytest.mark.parametrize("default", ["float32", "float64"])
def test_dtype_of_numbers(lib: Any, name: str, default: str) -> None:
    """Numbers in the state are float32, or float64 where that is the default dtype, and loading leaves them so."""
    before = lib.get_default_dtype()
    lib.set_default_dtype(getattr(lib, default))
    try:
        given = parameters(lib, lib.float32)
        optimizer = getattr(lib.optim, name)(given)
        step(given, optimizer)
    finally:
        lib.set_default_dtype(before)
    assert optimizer.state_dict()["state"][0]["step"].dtype == getattr(lib, default)
    other = getattr(lib.optim, name)(parameters(lib, lib.bfloat16))
    other.load_state_dict(optimizer.state_dict())
    assert other.state_dict()["state"][0]["step"].dtype == getattr(lib, default)


@pytest.mark.parametrize(("name", "number"), [("ASGD", "eta"), ("ASGD", "mu"), ("NAdam", "mu_product")])
@pytest.mark.parametrize("saved", ["a tensor", "a number"])
def test_numbers_are_kept_exactly(name: str, number: str, saved: str) -> None:
    """The numbers of a rule lose nothing by loading, whatever the parameters' dtype; old files have no tensors."""
    optimizer = getattr(sg.optim, name)(parameters(sg))
    step(optimizer.param_groups[0]["params"], optimizer)
    state = optimizer.state_dict()
    retained = state["state"][0][number]
    state["state"][0][number] = retained if saved == "a tensor" else retained.item()
    for dtype in (sg.bfloat16, sg.float64):
        other = getattr(sg.optim, name)(parameters(sg, dtype))
        other.load_state_dict(state)
        found = other.state_dict()["state"][0][number]
        assert found.dtype == sg.float32 and found.item() == retained.item()


def _converted(value: Any) -> Any:
    """PyTorch's tensors as ours."""
    if isinstance(value, dict):
        return {key: _converted(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_converted(part) for part in value)
    return sg.tensor(value.detach().numpy()) if hasattr(value, "detach") else value


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("number", range(4))
def test_what_pytorch_saved_goes_on(name: str, number: int) -> None:
    """The state_dict of PyTorch's optimizer has our structure, and ours goes on with it as PyTorch does."""
    torch = pytest.importorskip("torch")
    options = sampled(name, random.Random(f"{name} {number}"))
    theirs, ours = parameters(torch), parameters(sg)
    first, second = getattr(torch.optim, name)(theirs, **options), getattr(sg.optim, name)(ours, **options)
    for _ in range(3):
        step(theirs, first)
        step(ours, second)
    saved, own = _converted(first.state_dict()), second.state_dict()
    assert {n: [*s] for n, s in saved["state"].items()} == {n: [*s] for n, s in own["state"].items()}
    assert saved["param_groups"] == own["param_groups"]
    second = getattr(sg.optim, name)(ours)
    second.load_state_dict(saved)
    with sg.no_grad():
        for p, q in zip(ours, theirs, strict=True):
            p.copy_(sg.tensor(q.detach().numpy()))
    for _ in range(3):
        step(theirs, first)
        step(ours, second)
    tolerance = 1e-2 if name == "Muon" else 1e-6  # its iteration is computed in bfloat16, rounded differently
    for p, q in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=tolerance, atol=tolerance)


LARGE_THRESHOLD = [name for name in OPTIONS if name != "LBFGS"]
MIXED = "all optimizer param groups should be with/without names. cannot add param group with"


@pytest.mark.parametrize("name", OPTIONS)
def test_some_names_missing(lib: Any, name: str) -> None:
    """In a group all parameters have names or none has."""
    p, q = parameters(lib)
    for mixed in ([("p", p), q], [p, ("q", q)]):
        with pytest.raises(ValueError, match="with/without names. Some param names are missing"):
            getattr(lib.optim, name)(mixed)


@pytest.mark.parametrize("name", LARGE_THRESHOLD)
def test_some_groups_without_names(lib: Any, name: str) -> None:
    """All groups have names or none has, however they were given and whenever they are added."""
    p, q = parameters(lib)
    optimizer = getattr(lib.optim, name)
    for first, second, word in (([("p", p)], [q], "out names"), ([p], [("q", q)], " names")):
        with pytest.raises(ValueError, match=MIXED + word):
            optimizer([{"params": first}, {"params": second}])
        made = optimizer(first)
        with pytest.raises(ValueError, match=MIXED + word):
            made.add_param_group({"params": second})
        assert len(made.param_groups) == 1
    given = [{"params": [p], "param_names": ["p"]}, {"params": [("q", q)]}]
    assert [g["param_names"] for g in optimizer(given).param_groups] == [["p"], ["q"]]


@pytest.mark.parametrize("name", OPTIONS)
def test_names_in_the_state_dict(lib: Any, name: str) -> None:
    """Names are saved; those of the file stay, and one without names leaves those of the optimizer."""
    make = getattr(lib.optim, name)
    named = make([("p", parameters(lib)[0])])
    state = named.state_dict()
    assert state["param_groups"][0]["param_names"] == ["p"] and list(state["param_groups"][0])[-1] == "params"
    for other in (make([("q", parameters(lib)[0])]), make(parameters(lib)[:1])):
        other.load_state_dict(state)
        assert other.param_groups[0]["param_names"] == ["p"]
    named.load_state_dict(make(parameters(lib)[:1]).state_dict())
    assert named.param_groups[0]["param_names"] == ["p"]


@pytest.mark.parametrize("name", OPTIONS)
def test_what_does_not_fit(lib: Any, name: str) -> None:
    """Other numbers of groups or parameters are refused, and the optimizer stays as it was."""
    given = parameters(lib)
    optimizer = getattr(lib.optim, name)(given, lr=0.25)
    step(given, optimizer)
    before = repr(optimizer.state_dict())
    two = {"state": {}, "param_groups": [{"params": [0]}, {"params": [1]}]}
    with pytest.raises(ValueError, match="loaded state dict has a different number of parameter groups"):
        optimizer.load_state_dict(two)
    with pytest.raises(ValueError, match="contains a parameter group that doesn't match the size of optimizer's group"):
        optimizer.load_state_dict({"state": {}, "param_groups": [{"params": [0]}]})
    assert repr(optimizer.state_dict()) == before


def test_state_that_belongs_to_no_parameter(lib: Any) -> None:
    """What a file has beside the parameters' state is kept."""
    optimizer = lib.optim.AdamW(parameters(lib)[:1])
    optimizer.load_state_dict({**optimizer.state_dict(), "state": {"note": [1], 7: {"a": 1}}})
    assert optimizer.state["note"] == [1] and optimizer.state[7] == {"a": 1}
