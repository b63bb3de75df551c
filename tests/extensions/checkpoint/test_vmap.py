"""Checkpoints under vmap: the repeated call sees examples again, be the vmap still running or over."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.func import functional_call, grad, stack_module_state, vmap
from specgrad.utils.checkpoint import checkpoint
from tests.examples import close, reals


def loss(t: Any) -> Any:
    """A number for each example."""
    return (t * t).exp().sum()


def checkpointed(t: Any) -> Any:
    """The same, computed again in backward."""
    return checkpoint(loss, t, use_reentrant=False)


def backward(f: Any) -> Any:
    """Gradients by a backward pass after vmap, when it is over."""
    return lambda x: sg.autograd.grad(f(x).sum(), x)[0]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "vmap of grad": lambda f: vmap(vmap(grad(f))),
    "grad of vmap": lambda f: vmap(grad(lambda t: vmap(f)(t).sum())),
    "backward after vmap": lambda f: backward(vmap(vmap(f))),
    "backward after vmap of other dimensions": lambda f: backward(vmap(vmap(f, in_dims=1), in_dims=2)),
    "without gradients": lambda f: vmap(vmap(f)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_batches(name: str) -> None:
    """They are those of the function without a checkpoint, through nested vmaps too."""
    x = reals(sg, 2, 3, 4)
    found, right = (PROGRAMS[name](f)(x.clone().requires_grad_()) for f in (checkpointed, loss))
    close(found.detach(), right.detach())


def test_parameters_of_an_ensemble() -> None:
    """What the function reaches without being given it is part of the batch as well, while the vmap runs."""
    net = sg.nn.Linear(4, 3, dtype=sg.float64)
    parameters, _ = stack_module_state([sg.nn.Linear(4, 3, dtype=sg.float64) for _ in range(5)])

    def error(given: Any, x: Any, repeats: bool) -> Any:
        def forward(t: Any) -> Any:
            return functional_call(net, given, (t,)).tanh()

        y = checkpoint(forward, x, use_reentrant=False) if repeats else forward(x)
        return (y * y).sum()

    found, right = (vmap(grad(error), (0, None, None))(parameters, reals(sg, 2, 4), way) for way in (True, False))
    for name in found:
        close(found[name], right[name])


def test_random_numbers_are_drawn_again() -> None:
    """Each example's own, the same in both calls: what dropout keeps has gradient 2 / (1 - p), the rest has none."""
    x = sg.ones(8, 6)

    def dropped(t: Any) -> Any:
        return checkpoint(lambda u: sg.nn.functional.dropout(u * u).sum(), t, use_reentrant=False)

    sums, derivatives = vmap(lambda t: (dropped(t), grad(dropped)(t)), randomness="different")(x)
    assert set(derivatives.reshape(-1).tolist()) == {0.0, 4.0} and len({str(row) for row in derivatives.tolist()}) > 1
    y = x.clone().requires_grad_()
    sums = vmap(dropped, randomness="different")(y)
    assert sg.equal(sg.autograd.grad(sums.sum(), y)[0].sum(1), 2 * sums.detach())


def test_loss_of_many_classes_in_chunks() -> None:
    """The chunks of linear_cross_entropy are checkpoints."""
    matrix, target = reals(sg, 7, 4, seed=1), sg.tensor([1, 3, 6, 0, 5])
    options = sg.nn.LinearCrossEntropyOptions(batch_chunk_size=2)

    def error(x: Any, given: Any) -> Any:
        return sg.nn.functional.linear_cross_entropy(x, matrix, target, options=given)

    x = reals(sg, 3, 5, 4)
    close(*(vmap(grad(error), (0, None))(x, given) for given in (options, None)))
