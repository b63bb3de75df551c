"""Optimizers that adapt the step of each element, against their formulas in NumPy float64."""

import copy
from typing import Any

import numpy as np
import pytest

import specgrad as sg

from . import references as rules

RNG = np.random.default_rng(5)
START = RNG.standard_normal((3, 4))
GRADS = [RNG.standard_normal((3, 4)) for _ in range(8)]

CASES: list[tuple[str, dict[str, Any]]] = [
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"lr": 0.1, "alpha": 0.8, "centered": True, "eps": 0.01}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.2, "initial_accumulator_value": 0.5, "weight_decay": 0.1, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "eps": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.1, "betas": (0.5, 0.8), "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.1, "betas": (0.5, 0.8), "weight_decay": 0.1, "maximize": True, "momentum_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.1}),
    ("RAdam", {"lr": 0.1, "betas": (0.5, 0.9), "weight_decay": 0.1, "maximize": True}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("ASGD", {"lr": 0.1}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "weight_decay": 0.1, "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.01, 0.2), "maximize": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1, "maximize": True, "d": 1.5, "eps": (1e-3, 1e-2)}),
]
IDS = [f"{name}-{'-'.join(options) or 'defaults'}" for name, options in CASES]
NAMES = sorted({name for name, _ in CASES})
STATE = {
    "RMSprop": ["step", "square_avg"],
    "Adagrad": ["step", "sum"],
    "Adadelta": ["step", "square_avg", "acc_delta"],
    "Adamax": ["step", "exp_avg", "exp_inf"],
    "NAdam": ["step", "mu_product", "exp_avg", "exp_avg_sq"],
    "RAdam": ["step", "exp_avg", "exp_avg_sq"],
    "ASGD": ["step", "eta", "mu", "ax"],
    "Rprop": ["step", "prev", "step_size"],
    "Adafactor": ["step", "row_var", "col_var"],
}


def _steps(lib: Any, name: str, start: Any, grads: Any, **options: Any) -> tuple[Any, Any]:
    p = lib.from_numpy(start.copy()).requires_grad_()
    optimizer = getattr(lib.optim, name)([p], **options)
    for g in grads:
        p.grad = lib.from_numpy(g)
        optimizer.step()
    return p, optimizer


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_rule(lib: Any, name: str, options: dict[str, Any]) -> None:
    """Eight steps give what the formula gives; factors that are kept as float32 are as exact as that."""
    p, _ = _steps(lib, name, START, GRADS, **options)
    expected = getattr(rules, name.lower())(START, GRADS, **options)
    np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_rule_in_tensor_operations(name: str, options: dict[str, Any]) -> None:
    """So do eight steps of a parameter that no kernel takes, as it is not contiguous."""
    p = sg.from_numpy(START.T.copy()).t().requires_grad_()
    optimizer = getattr(sg.optim, name)([p], **options)
    for g in GRADS:
        p.grad = sg.from_numpy(g)
        optimizer.step()
    expected = getattr(rules, name.lower())(START, GRADS, **options)
    np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_state(lib: Any, name: str) -> None:
    """State has PyTorch's names; loaded into another optimizer it goes on as the saved one would have."""
    p, optimizer = _steps(lib, name, START, GRADS[:4], lr=0.1)
    state = copy.deepcopy(optimizer.state_dict())
    assert list(state["state"][0]) == STATE[name]
    q = p.detach().clone().requires_grad_()
    other = getattr(lib.optim, name)([q], lr=7.0)
    other.load_state_dict(state)
    for g in GRADS[4:]:
        for x, o in ((p, optimizer), (q, other)):
            x.grad = lib.from_numpy(g)
            o.step()
    np.testing.assert_allclose(q.detach().numpy(), p.detach().numpy(), rtol=1e-6)  # NAdam: a loaded factor is float64
    assert other.param_groups[0]["lr"] == 0.1


@pytest.mark.parametrize("name", [name for name in NAMES if name != "Adafactor"])
def test_complex_parameters(lib: Any, name: str) -> None:
    """A complex parameter is changed like its real and imaginary parts."""
    p, _ = _steps(lib, name, START + 1j * START[::-1], [g + 2j * g for g in GRADS], lr=0.1)
    rule = getattr(rules, name.lower())
    expected = rule(START, GRADS, lr=0.1) + 1j * rule(START[::-1], [2 * g for g in GRADS], lr=0.1)
    np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-6, atol=1e-7)


def test_vectors_keep_all_mean_squares(lib: Any) -> None:
    """Adafactor scales a vector by each element's own mean square: in the first step by the gradient itself."""
    p, optimizer = _steps(lib, "Adafactor", START[0], [GRADS[0][0]])
    size = 0.01 * np.sqrt(np.mean(START[0] ** 2))
    np.testing.assert_allclose(p.detach().numpy(), START[0] - size * np.sign(GRADS[0][0]), rtol=1e-12)
    assert list(optimizer.state[p]) == ["step", "variance"]


def test_average_of_parameters(lib: Any) -> None:
    """ASGD keeps the mean of the parameters after step t0."""
    p = lib.zeros(1, requires_grad=True)
    optimizer = lib.optim.ASGD([p], lr=1.0, lambd=0.0, t0=2)
    for _ in range(5):
        p.grad = -lib.ones(1)
        optimizer.step()
    assert p.item() == 5 and optimizer.state[p]["ax"].item() == 4.5  # the mean of 4 and 5


@pytest.mark.parametrize("name", ["SGD", "Adam", *(name for name in NAMES if name not in ("Adafactor", "Rprop"))])
def test_gradients_through_steps(name: str) -> None:
    """With `differentiable` the parameter after three steps has gradients for the step size and for its start."""
    options = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}

    def after(start: Any, lr: Any) -> Any:
        p = start.clone()
        optimizer = getattr(sg.optim, name)([p], lr=lr, differentiable=True, **options)
        for number in range(3):
            p.grad = start * (number + 1)
            optimizer.step()
        return p

    inputs = sg.tensor([0.5, -0.7], dtype=sg.float64), sg.tensor(0.1, dtype=sg.float64)
    checked = inputs if name != "ASGD" else inputs[:1]  # ASGD keeps its step size as a number
    for given in checked:
        given.requires_grad_()
    assert sg.autograd.gradcheck(after if name != "ASGD" else lambda start: after(start, 0.1), checked)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("RMSprop", {"alpha": -1}, "Invalid alpha value: -1"),
        ("RMSprop", {"momentum": -1}, "Invalid momentum value: -1"),
        ("Adagrad", {"lr_decay": -1}, "Invalid lr_decay value: -1"),
        ("Adadelta", {"rho": 2}, "Invalid rho value: 2"),
        ("Adamax", {"betas": (1, 0.5)}, "Invalid beta parameter at index 0: 1"),
        ("NAdam", {"momentum_decay": -1}, "Invalid momentum_decay value: -1"),
        ("RAdam", {"eps": -1}, "Invalid epsilon value: -1"),
        ("ASGD", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ("Rprop", {"etas": (1.5, 1.2)}, "Invalid eta values: 1.5, 1.2"),
        ("Adafactor", {"beta2_decay": 1}, "beta2_decay should be <= 0 but is: 1"),
        ("Adafactor", {"d": 0.5}, "Clipping threshold d should be >= 1 but is: 0.5"),
        ("LBFGS", {"lr": -1}, "Invalid learning rate: -1"),
    ],
)
def test_bad_hyperparameters(lib: Any, name: str, options: dict[str, Any], message: str) -> None:
    """A hyperparameter out of range is named with its value."""
    with pytest.raises(ValueError, match=message):
        getattr(lib.optim, name)([lib.ones(1, requires_grad=True)], **options)


def test_ways_that_exclude_each_other(lib: Any) -> None:
    """One kernel is neither many nor differentiable; Adafactor has no rule for complex numbers."""
    p = lib.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
        lib.optim.Adagrad([p], fused=True, foreach=True)
    with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
        lib.optim.SGD([p], fused=True, differentiable=True)
    with pytest.raises(RuntimeError, match="Adafactor does not support complex parameters"):
        _steps(lib, "Adafactor", START * 1j, [START * 1j])
