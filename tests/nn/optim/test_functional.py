"""Optimizers as functions: a step is the step of the optimizer, in both libraries."""

import importlib
from typing import Any

import pytest

CASES = {
    "sgd": ("SGD", ["momentum_buffer"], {"momentum": 0.9, "dampening": 0.0, "nesterov": True, "weight_decay": 0.1}),
    "adam": (
        "Adam",
        ["exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"],
        {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "amsgrad": True, "weight_decay": 0.1},
    ),
    "adamw": (
        "AdamW",
        ["exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"],
        {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "amsgrad": False, "weight_decay": 0.1},
    ),
    "rmsprop": (
        "RMSprop",
        ["square_avg", "grad_avg", "momentum_buffer", "step"],
        {"alpha": 0.9, "eps": 1e-6, "momentum": 0.5, "centered": True, "weight_decay": 0.0},
    ),
    "adagrad": ("Adagrad", ["sum", "step"], {"lr_decay": 0.1, "eps": 1e-6, "weight_decay": 0.0}),
    "adadelta": ("Adadelta", ["square_avg", "acc_delta", "step"], {"rho": 0.9, "eps": 1e-6, "weight_decay": 0.0}),
    "adamax": (
        "Adamax",
        ["exp_avg", "exp_inf", "step"],
        {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.0},
    ),
    "nadam": (
        "NAdam",
        ["exp_avg", "exp_avg_sq", "mu_product", "step"],
        {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "momentum_decay": 4e-3, "weight_decay": 0.0},
    ),
    "radam": (
        "RAdam",
        ["exp_avg", "exp_avg_sq", "step"],
        {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.0},
    ),
    "asgd": (
        "ASGD",
        ["ax", "mu", "eta", "step"],
        {"lambd": 1e-4, "t0": 1e6, "alpha": 0.75, "weight_decay": 0.0},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_are_steps(lib: Any, name: str) -> None:
    """Two steps by the function give the parameters of two steps by the optimizer."""
    cls, retained, settings = CASES[name]
    function = getattr(importlib.import_module(f"{lib.__name__}.optim._functional"), name)
    assert getattr(importlib.import_module(f"{lib.__name__}.optim.{name}"), name) is function or lib.__name__ == "torch"
    arguments = {key: value for key, value in settings.items() if not key.startswith("beta")}
    if "beta1" in settings:
        arguments["betas"] = (settings["beta1"], settings["beta2"])
    param = lib.tensor([1.0, -2.0, 3.0], requires_grad=True)
    optimizer = getattr(lib.optim, cls)([param], lr=0.1, **arguments)
    own, lists = lib.tensor([1.0, -2.0, 3.0]), [[lib.zeros(3)] for _ in retained]
    for row, key in enumerate(retained):
        if key in ("step", "mu", "mu_product", "eta"):
            lists[row] = [lib.tensor({"step": 0.0, "eta": 0.1}.get(key, 1.0))]
        if key == "momentum_buffer" and name == "sgd":
            lists[row] = [None]
    for grad in (lib.tensor([0.5, 1.0, -1.0]), lib.tensor([0.1, -0.2, 0.3])):
        param.grad = grad.clone()
        optimizer.step()
        function([own], [grad.clone()], *lists, lr=0.1, maximize=False, **settings)
    assert lib.allclose(own, param.detach(), atol=1e-6)
    assert all(rows[0] is not None for rows in lists)


def test_rprop(lib: Any) -> None:
    """Step sizes by parameter come in a list."""
    functional = importlib.import_module(f"{lib.__name__}.optim._functional")
    own, sizes = lib.tensor([1.0, -2.0]), [lib.full((2,), 0.1)]
    settings = {"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.2, "maximize": False}
    grads, steps = [lib.tensor([1.0, -1.0])], [lib.tensor(0.0)]
    functional.rprop([own], grads, [lib.zeros(2)], sizes, steps, **settings)
    assert lib.allclose(own, lib.tensor([0.9, -1.9]))
