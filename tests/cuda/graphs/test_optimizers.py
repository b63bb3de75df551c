"""Steps of optimizers in graphs: with counts on the device each replay is a step of its own."""

from typing import Any

import pytest

import specgrad as sg
from tests.cuda.graphs.programs import SHAPES, batch, copied, mlp, on_side_stream, recorded, same, step

COUNTING: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {"capturable": True, "amsgrad": True}),
    ("AdamW", {"fused": True}),
    ("NAdam", {"capturable": True, "weight_decay": 0.1}),
    ("RAdam", {"capturable": True}),
    ("Adamax", {"capturable": True}),
    ("ASGD", {"capturable": True, "t0": 1}),
    ("Adadelta", {"capturable": True}),
    ("RMSprop", {"capturable": True, "momentum": 0.5}),
    ("Rprop", {"capturable": True}),
]


@pytest.mark.parametrize("keeps", [False, True], ids=["gradients anew", "gradients kept"])
@pytest.mark.parametrize(("name", "options"), COUNTING, ids=str)
def test_replays_are_steps(name: str, options: dict[str, Any], keeps: bool) -> None:
    """From the same state replays give the parameters that steps give, also after other tables were made."""
    eager = mlp().eval()
    model = copied(mlp, eager).eval()
    batches = [batch(SHAPES[mlp], seed) for seed in range(4)]
    one, two = (getattr(sg.optim, name)(m.parameters(), **options) for m in (eager, model))
    wanted = [step(eager, one, *each).item() for each in batches]
    inputs, target = (t.clone() for t in batches[0])
    found = [on_side_stream(lambda: step(model, two, inputs, target)).item()]

    def passes() -> Any:
        if not keeps:
            return step(model, two, inputs, target)
        two.zero_grad(set_to_none=False)
        loss = sg.nn.functional.cross_entropy(model(inputs), target)
        loss.backward()
        two.step()
        return loss

    if not keeps:
        two.zero_grad()
    graph, loss = recorded(passes)
    for x, t in batches[1:]:
        inputs.copy_(x)
        target.copy_(t)
        graph.replay()
        found.append(loss.item())
    assert found == wanted and same(model, eager)
    assert [s["step"].item() for s in two.state.values()] == [4.0] * len(two.state)


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
        wanted = min(0.3, factor * min(1.0, 2.0 / total.item()))
        assert all(p.grad.cpu().allclose(sg.full_like(p.grad, wanted).cpu(), rtol=1e-5) for p in params)
