"""What optimizers can be given: for each of them the values of its options that tests choose from."""

from __future__ import annotations

import random
from typing import Any

_DECAY = {"weight_decay": [0, 0.1]}
_COMMON = {**_DECAY, "maximize": [False, True], "foreach": [None, False, True]}
_BETAS = {"betas": [(0.9, 0.999), (0.5, 0.8), (0.0, 0.9)], "eps": [1e-8, 1e-3]}
_ADAM = {**_COMMON, **_BETAS, "lr": [1e-3, 0.1], "amsgrad": [False, True]}

OPTIONS: dict[str, dict[str, list[Any]]] = {
    "ASGD": {**_COMMON, "lr": [0.01, 0.1], "lambd": [1e-4, 0.1], "alpha": [0.75, 0.5], "t0": [0, 2, 1e6]},
    "Adadelta": {**_COMMON, "lr": [1.0, 0.1], "rho": [0.9, 0.5], "eps": [1e-6]},
    "Adafactor": {**_COMMON, "lr": [0.01, 0.1], "beta2_decay": [-0.8, -0.5], "d": [1.0, 2.0]},
    "Adagrad": {**_COMMON, "lr": [0.01, 0.1], "lr_decay": [0, 0.1], "initial_accumulator_value": [0, 0.2]},
    "Adam": _ADAM,
    "AdamW": _ADAM,
    "Adamax": {**_COMMON, **_BETAS, "lr": [2e-3, 0.1]},
    "LBFGS": {
        "lr": [1, 0.1],
        "max_iter": [1, 3],
        "history_size": [1, 2, 100],
        "line_search_fn": [None, "strong_wolfe"],
    },
    "Muon": {
        **_DECAY,
        "lr": [1e-3, 0.1],
        "momentum": [0.95, 0.5],
        "nesterov": [True, False],
        "adjust_lr_fn": [None, "original", "match_rms_adamw"],
    },
    "NAdam": {
        **_COMMON,
        **_BETAS,
        "lr": [2e-3, 0.1],
        "momentum_decay": [4e-3],
        "decoupled_weight_decay": [False, True],
    },
    "RAdam": {**_COMMON, **_BETAS, "lr": [1e-3, 0.1], "decoupled_weight_decay": [False, True]},
    "RMSprop": {**_COMMON, "lr": [0.01, 0.1], "alpha": [0.99, 0.5], "momentum": [0, 0.9], "centered": [False, True]},
    "Rprop": {
        "lr": [0.01, 0.1],
        "etas": [(0.5, 1.2)],
        "step_sizes": [(1e-6, 50), (1e-3, 0.02)],
        "maximize": [False, True],
    },
    "SGD": {**_COMMON, "lr": [1e-3, 0.1], "momentum": [0, 0.9], "dampening": [0, 0.1]},
}
ONE_GROUP = frozenset({"LBFGS"})
REAL_ONLY = frozenset({"Adafactor", "Muon"})
MATRICES_ONLY = frozenset({"Muon"})


def sampled(name: str, rng: random.Random) -> dict[str, Any]:
    """Some of the options of an optimizer, each with one of its values."""
    chosen = {key: rng.choice(values) for key, values in OPTIONS[name].items() if rng.random() < 0.6}
    if name == "SGD" and chosen.get("momentum") and not chosen.get("dampening") and rng.random() < 0.5:
        chosen["nesterov"] = True
    return chosen


def loss_of(parameters: list[Any]) -> Any:
    """A loss in which every parameter has a part, and the parameters act on one another."""
    parts = [((p - 0.3 * n).abs() ** 2 + (p * p * p).abs() * 0.1).sum() for n, p in enumerate(parameters, 1)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part + total * part * 1e-3
    return total


def step(parameters: list[Any], optimizer: Any, without: int | None = None) -> None:
    """One step, in which the parameter `without` has no gradient."""

    def closure() -> Any:
        optimizer.zero_grad()
        used = [p for n, p in enumerate(parameters) if n != without]
        loss = loss_of(used)
        loss.backward()
        return loss

    optimizer.step(closure)
