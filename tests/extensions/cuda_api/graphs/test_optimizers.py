"""Steps of optimizers in graphs: those that count on the device go on counting, others are refused."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from tests.extensions.cuda_api.graphs.programs import batch, copied, mlp, on_side_stream, recorded, same, step

Make = Callable[[Any], Any]

CAPTURABLE: dict[str, Make] = {
    "Adam": lambda p: sg.optim.Adam(p, lr=0.01, capturable=True),
    "Adam with a rate on the device": lambda p: sg.optim.Adam(p, lr=sg.tensor(0.01).cuda(), capturable=True),
    "AdamW": lambda p: sg.optim.AdamW(p, lr=0.01, amsgrad=True, capturable=True),
    "NAdam": lambda p: sg.optim.NAdam(p, lr=0.01, capturable=True),
    "RAdam": lambda p: sg.optim.RAdam(p, lr=0.01, capturable=True),
    "Adamax": lambda p: sg.optim.Adamax(p, lr=0.01, capturable=True),
    "ASGD": lambda p: sg.optim.ASGD(p, lr=0.01, capturable=True),
    "RMSprop": lambda p: sg.optim.RMSprop(p, lr=0.01, momentum=0.9, capturable=True),
    "Adadelta": lambda p: sg.optim.Adadelta(p, capturable=True),
    "Rprop": lambda p: sg.optim.Rprop(p, lr=0.01, capturable=True),
    "SGD": lambda p: sg.optim.SGD(p, lr=0.1, weight_decay=0.1, nesterov=True, momentum=0.5),
}


def cleared(model: Any, optimizer: Any, *given: Any) -> Any:
    """A step that leaves no gradients."""
    loss = step(model, optimizer, *given)
    optimizer.zero_grad()
    return loss


@pytest.mark.parametrize("one_step", [step, cleared])
@pytest.mark.parametrize("name", CAPTURABLE)
def test_steps_go_on(name: str, one_step: Any) -> None:
    """Losses, parameters and state have the bits of eager steps, also where gradients are freed in the graph."""
    eager = mlp()
    model = copied(mlp, eager)
    first, second = (CAPTURABLE[name](m.parameters()) for m in (eager, model))
    batches = [batch((4, 6), seed) for seed in range(4)]
    sg.manual_seed(1)
    requested = [one_step(eager, first, *each).item() for each in batches]
    sg.manual_seed(1)
    inputs, target = (t.clone() for t in batches[0])
    found = [on_side_stream(lambda: one_step(model, second, inputs, target)).item()]
    second.zero_grad()
    graph, loss = recorded(lambda: one_step(model, second, inputs, target))
    for x, t in batches[1:]:
        inputs.copy_(x)
        target.copy_(t)
        graph.replay()
        found.append(loss.item())
    assert found == requested and same(model, eager)
    for one, other in zip(first.state.values(), second.state.values(), strict=True):
        assert all(sg.equal(one[key], other[key]) for key in one)


def test_graphs_of_one_step() -> None:
    """Each graph keeps what its launches read: one that was captured first need not have run."""
    layer = sg.nn.Linear(3, 2).cuda()
    optimizer = sg.optim.Adam(layer.parameters(), capturable=True)
    for p in layer.parameters():
        p.grad = sg.ones_like(p)
    stream = sg.cuda.Stream()
    stream.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(stream):
        optimizer.step()
    sg.cuda.synchronize()
    first, _ = recorded(optimizer.step, stream=stream)
    second, _ = recorded(optimizer.step, stream=stream)
    second.replay()
    first.reset()
    sg.cuda.empty_cache()
    second.replay()
    stream.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(stream):
        optimizer.step()
    sg.cuda.synchronize()
    assert [state["step"].item() for state in optimizer.state.values()] == [4.0, 4.0]


def test_steps_that_are_counted_on_the_host() -> None:
    """PyTorch's error: a replay would repeat the number of the step."""
    layer = sg.nn.Linear(3, 2).cuda()
    for p in layer.parameters():
        p.grad = sg.ones_like(p)
    optimizer = sg.optim.Adam(layer.parameters())
    optimizer.step()
    with pytest.raises(RuntimeError, match="CUDA graph capture of step.. for an instance of Adam but .* is False"):
        recorded(optimizer.step)
    optimizer.step()
    assert [state["step"].item() for state in optimizer.state.values()] == [2.0, 2.0]


def test_tables_live_as_long_as_graphs() -> None:
    """Of a capture, and of steps before it on the same stream."""
    p = sg.ones(5, device="cuda", requires_grad=True)
    p.grad = sg.ones_like(p)
    optimizer = sg.optim.Adam([p], lr=sg.tensor(0.5, device="cuda"), capturable=True)
    stream = sg.cuda.Stream()
    stream.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(stream):
        optimizer.step()
    graph, _ = recorded(optimizer.step, stream=stream)
    for size in range(1, 80):  # more tables than are kept
        other = sg.ones(size, device="cuda", requires_grad=True)
        other.grad = sg.ones_like(other)
        sg.optim.SGD([other]).step()
    for rate in (0.5, 0.25):
        optimizer.param_groups[0]["lr"].fill_(rate)
        graph.replay()
    assert optimizer.state[p]["step"].item() == 3.0
    q = sg.ones(5, requires_grad=True)
    expected = sg.optim.Adam([q], lr=0.5)
    for rate in (0.5, 0.5, 0.25):
        q.grad, expected.param_groups[0]["lr"] = sg.ones(5), rate
        expected.step()
    assert sg.allclose(p.detach().cpu(), q.detach(), rtol=1e-6)


def test_gradients_are_clipped_in_graphs() -> None:
    """Nothing reads the norm on the host."""
    params = [sg.ones(n, device="cuda", requires_grad=True) for n in (3, 40)]
    source = [sg.ones_like(p).detach() for p in params]
    for p in params:
        p.grad = sg.zeros_like(p)

    def clip() -> Any:
        for p, grad in zip(params, source, strict=True):
            p.grad.copy_(grad)
        total = sg.nn.utils.clip_grad_norm_(params, 2.0)
        sg.nn.utils.clip_grad_value_(params, 0.3)
        return total

    clip()
    graph, total = recorded(clip)
    for factor in (1.0, 0.01, 5.0):
        for grad in source:
            grad.fill_(factor)
        graph.replay()
        assert total.item() == pytest.approx(factor * 43**0.5, rel=1e-6)
        requested = min(0.3, factor * min(1.0, 2.0 / total.item()))
        assert all(p.grad.cpu().allclose(sg.full_like(p.grad, requested).cpu(), rtol=1e-5) for p in params)
