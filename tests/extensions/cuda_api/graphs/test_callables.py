"""`make_graphed_callables`: modules and functions that train as what they were made of."""

from typing import Any

import pytest

import specgrad as sg
from tests.extensions.cuda_api.graphs.programs import SHAPES, batch, cnn, copied, mlp, same


@pytest.mark.parametrize("make", SHAPES)
def test_a_module_trains_equally(make: Any) -> None:
    """Losses, parameters and buffers have the bits of eager training; eval() is the module as it was."""
    eager = make()
    samples = batch(SHAPES[make], 9)[0]
    sg.manual_seed(5)
    for _ in range(2 if make is cnn else 0):
        eager(samples)  # as the warm-up does: it moves the statistics of batches
    requested = train(eager, make)
    model = copied(make, eager)
    start = make()
    start.load_state_dict(model.state_dict())
    model = sg.cuda.make_graphed_callables(start, (samples,), num_warmup_iters=2)
    model.load_state_dict(initial[make])
    found = train(model, make)
    assert found == requested and same(model, eager)
    model.eval(), eager.eval()
    x = batch((3, *SHAPES[make][1:]), 4)[0]
    assert sg.equal(model(x), eager(x))


initial: dict[Any, Any] = {}


def train(model: Any, make: Any) -> list[float]:
    """Losses of three steps, from the first state that was seen."""
    initial.setdefault(make, {k: v.clone() for k, v in model.state_dict().items()})
    optimizer = sg.optim.SGD(model.parameters(), lr=0.1)
    sg.manual_seed(1)
    losses = []
    for seed in range(3):
        inputs, target = batch(SHAPES[make], seed)
        optimizer.zero_grad()
        loss = sg.nn.functional.cross_entropy(model(inputs), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_several_callables() -> None:
    """A tuple shares one pool; gradients flow from one to the next, and to inputs; results may be any structure."""
    first = mlp()[0]

    def second(x: Any, scale: Any) -> dict[str, Any]:
        return {"sum": (x * scale).sum(), "parts": (x.relu(), scale.detach() * 2)}

    x, scale = sg.randn(4, 6, device="cuda"), sg.ones(8, device="cuda").requires_grad_()
    hidden = sg.randn(4, 8, device="cuda").requires_grad_()
    plain = copied(lambda: mlp()[0], first)
    one, two = sg.cuda.make_graphed_callables((first, second), ((x,), (hidden, scale)))
    for _ in range(2):
        given = sg.randn(4, 6, device="cuda")
        results = []
        for layer, function in ((one, two), (plain, second)):
            found = function(layer(given), scale)
            loss = found["sum"] * 2 + found["parts"][0].sum()
            grads = sg.autograd.grad(loss, [scale, *layer.parameters()])
            results.append([loss.item(), found["parts"][1].tolist(), *[g.tolist() for g in grads]])
        assert results[0] == results[1]


def test_unused_inputs() -> None:
    """An input without influence is an error, unless that is allowed; outputs may need no gradient."""
    x, y = (sg.ones(3, device="cuda").requires_grad_() for _ in range(2))
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        sg.cuda.make_graphed_callables(lambda a, b: a * 2, (x, y))
    doubled = sg.cuda.make_graphed_callables(lambda a, b: a * 2, (x, y), allow_unused_input=True)
    assert sg.autograd.grad(doubled(x, y).sum(), [x, y], allow_unused=True)[0].tolist() == [2.0] * 3
    fixed = sg.cuda.make_graphed_callables(lambda a: a.detach() * 3, (x,))
    assert fixed(x).tolist() == [3.0] * 3 and not fixed(x).requires_grad


def test_refused() -> None:
    """PyTorch's assertions: hooks, buffers with gradients, arguments that are no tensors."""
    layer, x = sg.nn.Linear(3, 2).cuda(), sg.ones(1, 3, device="cuda")
    handle = layer.register_forward_hook(lambda *_: None)
    with pytest.raises(AssertionError, match="must not have hooks registered"):
        sg.cuda.make_graphed_callables(layer, (x,))
    handle.remove()
    with pytest.raises(AssertionError, match="must contain only Tensors"):
        sg.cuda.make_graphed_callables(layer, (x, 3))
    layer.register_buffer("scale", sg.ones(1, device="cuda").requires_grad_())
    with pytest.raises(AssertionError, match="only parameters may be"):
        sg.cuda.make_graphed_callables(layer, (x,))
    function = sg.cuda.make_graphed_callables(lambda a: a * 2, (x,))
    with pytest.raises(TypeError, match="expected 1 tensors, but got 2"):
        function(x, x)
