"""Networks as functions of their parameters: gradients of each sample, and ensembles trained as one network."""

from __future__ import annotations

from typing import Any

import pytest

from tests.examples import close, reals


def networks(lib: Any) -> dict[str, tuple[Any, Any]]:
    """A perceptron and a convolutional network, with a batch of inputs."""
    nn = lib.nn
    perceptron = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.LayerNorm(5), nn.Linear(5, 3))
    convolutional = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(2, 3, 2), nn.Flatten(), nn.Linear(12, 3)
    )
    return {
        "perceptron": (perceptron.double(), reals(lib, 4, 6)),
        "convolutional": (convolutional.double(), reals(lib, 4, 1, 8, 8)),
    }


@pytest.mark.parametrize("name", ["perceptron", "convolutional"])
def test_gradients_of_each_sample(lib: Any, name: str) -> None:
    """vmap of grad gives what a loop of backward passes over single samples gives; in chunks too."""
    model, x = networks(lib)[name]
    labels = lib.tensor([0, 2, 1, 1])
    params = {key: p.detach() for key, p in model.named_parameters()}

    def loss(params: Any, x: Any, label: Any) -> Any:
        scores = lib.func.functional_call(model, params, (x.unsqueeze(0),))
        return lib.nn.functional.cross_entropy(scores, label.unsqueeze(0))

    for options in ({}, {"chunk_size": 3}):
        found = lib.vmap(lib.func.grad(loss), in_dims=(None, 0, 0), **options)(params, x, labels)
        for i in range(4):
            model.zero_grad()
            lib.nn.functional.cross_entropy(model(x[i : i + 1]), labels[i : i + 1]).backward()
            for key, parameter in model.named_parameters():
                close(found[key][i], parameter.grad)


def test_ensembles(lib: Any) -> None:
    """Stacked parameters are leaves; one call computes all models, and trains them together."""
    models = [networks(lib)["perceptron"][0] for _ in range(3)]
    params, buffers = lib.func.stack_module_state(models)
    assert all(p.is_leaf and p.requires_grad and p.shape[0] == 3 for p in params.values()) and not buffers
    x = reals(lib, 5, 6)

    def call(params: Any, buffers: Any, x: Any) -> Any:
        return lib.func.functional_call(models[0], (params, buffers), (x,))

    outputs = lib.vmap(call, in_dims=(0, 0, None))(params, buffers, x)
    close(outputs, lib.stack([model(x) for model in models]))
    own = lib.vmap(call)(params, buffers, reals(lib, 3, 5, 6))
    close(own, lib.stack([model(row) for model, row in zip(models, reals(lib, 3, 5, 6), strict=True)]))
    (outputs**2).sum().backward()
    for model in models:
        (model(x) ** 2).sum().backward()
    for name, stacked in params.items():
        close(stacked.grad, lib.stack([model.get_parameter(name).grad for model in models]))


def test_ensembles_with_running_statistics(lib: Any) -> None:
    """Buffers of each model are updated, in the stacked tensors."""
    models = [lib.nn.BatchNorm1d(2).double() for _ in range(3)]
    params, buffers = lib.func.stack_module_state(models)
    x = reals(lib, 3, 5, 2)
    found = lib.vmap(lambda p, b, x: lib.func.functional_call(models[0], (p, b), (x,)))(params, buffers, x)
    close(found, lib.stack([model(row) for model, row in zip(models, x, strict=True)]))
    for name, stacked in buffers.items():
        close(stacked, lib.stack([model.get_buffer(name) for model in models]))


def test_models_that_do_not_stack(lib: Any) -> None:
    """No models, models of other classes, modes or shapes, and parameters of which some are frozen."""
    linear = lib.nn.Linear
    frozen, other = linear(2, 1), linear(2, 1).eval()
    frozen.weight.requires_grad_(False)
    for models in (
        [],
        [linear(2, 1), lib.nn.ReLU()],
        [linear(2, 1), other],
        [linear(2, 1), frozen],
        [linear(2, 1), linear(3, 1)],
    ):
        with pytest.raises(RuntimeError):
            lib.func.stack_module_state(models)
    params, _ = lib.func.stack_module_state([linear(2, 1).requires_grad_(False) for _ in range(2)])
    assert not any(p.requires_grad for p in params.values())
