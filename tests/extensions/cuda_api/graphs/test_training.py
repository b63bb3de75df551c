"""A step of training as a graph: the same bits as step after step, with random numbers that go on."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from tests.extensions.cuda_api.graphs.programs import SHAPES, batch, copied, on_side_stream, recorded, same, step


@pytest.mark.parametrize("make", SHAPES)
def test_a_step_replays_as_it_runs(make: Callable[[], Any]) -> None:
    """From the same state, a captured step of SGD gives the losses, parameters and buffers that eager steps give."""
    eager = make()
    model = copied(make, eager)
    batches = [batch(SHAPES[make], seed) for seed in range(5)]
    first = sgd(eager)
    sg.manual_seed(1)
    requested = [step(eager, first, *each).item() for each in batches]
    sg.manual_seed(1)
    second = sgd(model)
    inputs, target = (t.clone() for t in batches[0])
    found = [on_side_stream(lambda: step(model, second, inputs, target)).item()]
    second.zero_grad()
    before = sg.get_rng_state()
    graph, loss = recorded(lambda: step(model, second, inputs, target))
    assert sg.equal(before, sg.get_rng_state()), "a capture draws nothing"
    for x, t in batches[1:]:
        inputs.copy_(x)
        target.copy_(t)
        graph.replay()
        found.append(loss.item())
    assert found == requested and same(model, eager)


def sgd(model: Any) -> Any:
    return sg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def test_passes_without_the_optimizer() -> None:
    """Forward and backward are captured, and the optimizer steps between replays; gradients stay where they are."""
    model = next(iter(SHAPES))()
    eager = copied(next(iter(SHAPES)), model)
    x, t = batch((4, 6), 0)

    def passes(network: Any) -> Any:
        loss = sg.nn.functional.cross_entropy(network(x), t)
        loss.backward()
        return loss

    on_side_stream(lambda: passes(model))
    model.zero_grad()
    sg.manual_seed(4)
    graph, loss = recorded(lambda: passes(model))
    grads = [p.grad.data_ptr() for p in model.parameters()]
    one, two = sgd(model), sgd(eager)
    found = []
    for _ in range(3):
        graph.replay()
        one.step()
        found.append(loss.item())
    sg.manual_seed(4)
    requested = []
    for _ in range(3):
        two.zero_grad()
        requested.append(passes(eager).item())
        two.step()
    assert found == requested and same(model, eager)
    assert grads == [p.grad.data_ptr() for p in model.parameters()]


def test_a_target_that_is_no_class() -> None:
    """The error comes when the program waits for a replay, each time that one finds it."""
    x, t = batch((4, 6), 0)
    graph, loss = recorded(lambda: sg.nn.functional.cross_entropy(x[:, :3], t))
    graph.replay()
    assert loss.item() == sg.nn.functional.cross_entropy(x[:, :3], t).item()
    t.fill_(9)
    for wait in (sg.cuda.synchronize, loss.item):
        graph.replay()
        with pytest.raises(
            IndexError, match=r"cross_entropy_loss\(\): Target 9 is out of bounds: expected a class in \[0, 2\]"
        ):
            wait()
    t.fill_(1)
    graph.replay()
    sg.cuda.synchronize()
    del graph, loss
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == sg.cuda.memory_allocated(), "the word is gone with its graph"


def test_an_index_out_of_bounds() -> None:
    """A graph's kernels note indices as others do."""
    table, index = sg.ones(4, 2).cuda(), sg.tensor([0, 3]).cuda()
    graph, rows = recorded(lambda: sg.nn.functional.embedding(index, table))
    graph.replay()
    assert rows.tolist() == [[1.0, 1.0]] * 2
    index.fill_(4)
    graph.replay()
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        sg.cuda.current_stream().synchronize()


@pytest.mark.parametrize("mode", ["reflect", "circular"])
def test_tables_of_ops_are_kept(mode: str) -> None:
    """What an op copies to the device before it computes, such as where padding comes from, is the graph's."""
    x = sg.arange(12.0).reshape(1, 1, 12).cuda()

    def pad() -> Any:
        found = sg.nn.functional.pad(x, (2, 3), mode)
        return sg.nn.functional.interpolate(found, scale_factor=2.0, mode="linear")

    graph, padded = recorded(pad)
    for k in range(2):
        x.mul_(2.0 + k)
        graph.replay()
        assert sg.equal(padded, pad())


def test_what_depends_on_arguments_alone() -> None:
    """Ranges, windows and the like are made anew at each replay, so that writes to them do not add up."""

    def made() -> Any:
        steps = sg.arange(4.0, device="cuda")
        return steps.add_(sg.linspace(0, 3, 4, device="cuda")), sg.eye(2, device="cuda").mul_(3.0)

    graph, (steps, diagonal) = recorded(made)
    for _ in range(3):
        graph.replay()
        assert steps.tolist() == [0.0, 2.0, 4.0, 6.0] and diagonal.tolist() == [[3.0, 0.0], [0.0, 3.0]]


def test_recurrent_layers() -> None:
    """All time steps are one graph."""
    layer, x = sg.nn.LSTM(3, 4).cuda(), sg.randn(5, 2, 3).cuda()
    layer(x)
    graph, (out, _) = recorded(lambda: layer(x))
    x.mul_(-1.0)
    graph.replay()
    assert sg.equal(out, layer(x)[0])


def test_a_checkpoint_draws_the_same_numbers_again() -> None:
    """Activations that are computed again in the backward pass of a graph drop the same elements."""
    x = sg.ones(64).cuda().requires_grad_()

    def passes() -> Any:
        y = sg.utils.checkpoint.checkpoint(sg.nn.functional.dropout, x, 0.5, use_reentrant=False)
        (grad,) = sg.autograd.grad((y * y).sum(), x)
        return y.detach(), grad

    passes()
    graph, (y, grad) = recorded(passes)
    seen = []
    for _ in range(2):
        graph.replay()
        assert sg.equal(grad, 4 * y)
        seen.append(y.tolist())
    assert seen[0] != seen[1]
