"""Checks of DistributedDataParallel, for every rank; those of `checks.py` come first."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad import distributed as dist
from specgrad import nn
from specgrad.nn.parallel import DistributedDataParallel
from specgrad.utils.data import DistributedSampler
from tests.extensions.distributed.checks import check

ROWS = 4  # of each rank


def _model(seed: int, dtype: Any = sg.float64) -> nn.Module:
    generator = sg.Generator().manual_seed(seed)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2)).to(dtype)
    with sg.no_grad():
        for one in model.parameters():
            one.copy_(sg.randn(one.shape, generator=generator, dtype=dtype))
    return model


def _batch(size: int, dtype: Any = sg.float64) -> tuple[Any, Any]:
    generator = sg.Generator().manual_seed(9)
    rows = size * ROWS
    return tuple(sg.randn(rows, width, generator=generator, dtype=dtype) for width in (3, 2))  # type: ignore[return-value]


def _train(model: nn.Module, x: Any, y: Any, steps: int) -> list[Any]:
    optimizer = sg.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return [one.detach().clone() for one in model.parameters()]


def _own(rank: int, *tensors: Any) -> list[Any]:
    return [one[rank * ROWS : (rank + 1) * ROWS] for one in tensors]


@check
def training_is_that_of_one_process(rank: int, size: int) -> None:
    """Parameters after steps are those of one process with the whole batch, whatever the buckets; bits repeat."""
    x, y = _batch(size)
    alone = _train(_model(0), x, y, 4)
    for cap, views in ((None, False), (1e-5, False), (1e-4, True)):
        runs = []
        for _ in range(2):
            model = DistributedDataParallel(_model(rank), bucket_cap_mb=cap, gradient_as_bucket_view=views)
            runs.append(_train(model, *_own(rank, x, y), 4))
        assert all(sg.equal(*pair) for pair in zip(*runs, strict=True))
        for found, expected in zip(runs[0], alone, strict=True):
            sg.testing.assert_close(found, expected, rtol=1e-12, atol=1e-13)
    assert [*model.state_dict()][0] == "module.0.weight"


@check
def buckets_follow_the_gradients(rank: int, size: int) -> None:
    """From the second pass on, buckets are in the order in which gradients came."""
    model = DistributedDataParallel(_model(0), bucket_cap_mb=1e-5)
    _train(model, *_own(rank, *_batch(size)), 2)
    order = [number for bucket in model._reducer.buckets for number in bucket.numbers]
    assert sorted(order) == [*range(6)] and {*order[:2]} == {4, 5} and {*order[-2:]} == {0, 1}


@check
def accumulation_without_sync(rank: int, size: int) -> None:
    """Gradients of `no_sync` are local; the next pass averages the sum."""
    x, y = _own(rank, *_batch(size))
    model, local = DistributedDataParallel(_model(0)), _model(0)
    with model.no_sync():
        nn.functional.mse_loss(model(x[:2]), y[:2]).backward()
    nn.functional.mse_loss(local(x[:2]), y[:2]).backward()
    for one, other in zip(model.parameters(), local.parameters(), strict=True):
        assert sg.equal(one.grad, other.grad)
    nn.functional.mse_loss(model(x[2:]), y[2:]).backward()
    nn.functional.mse_loss(local(x[2:]), y[2:]).backward()
    for one, other in zip(model.parameters(), local.parameters(), strict=True):
        total = other.grad.clone()
        dist.all_reduce(total)
        sg.testing.assert_close(one.grad, total / size, rtol=1e-12, atol=1e-14)


class _Branches(nn.Module):
    """Each of three layers has a part in the loss on some ranks: the first on all, the last on none."""

    def __init__(self) -> None:
        super().__init__()
        self.always, self.first, self.never = (nn.Linear(2, 2) for _ in range(3))

    def forward(self, x: Any, rank: int) -> Any:
        x = self.always(x)
        return {"y": self.first(x)} if rank == 0 else {"y": x}


@check
def unused_parameters(rank: int, size: int) -> None:
    """Parameters without a part on some ranks have the average, on all ranks none; unasked for, they are an error."""
    module = _Branches()
    model = DistributedDataParallel(module, find_unused_parameters=True)
    for _ in range(3):
        model.zero_grad()
        model(sg.ones(1, 2), rank)["y"].sum().backward()
        assert module.never.weight.grad is None
        assert module.first.bias.grad.tolist() == pytest.approx([1 / size] * 2)
    model = DistributedDataParallel(_Branches())
    model(sg.ones(1, 2), 1)["y"].sum().backward()
    with pytest.raises(RuntimeError, match=r"(?s)not used in producing loss: first\.weight.*never\.bias"):
        model(sg.ones(1, 2), 1)


@check
def buffers_are_those_of_the_first_rank(rank: int, size: int) -> None:
    """Each forward pass begins with the first rank's buffers; without broadcast each has its own."""
    for broadcast in (True, False):
        model = DistributedDataParallel(nn.BatchNorm1d(2), broadcast_buffers=broadcast)
        for step in range(2):
            model(sg.full((3, 2), rank + step + 0.0)).sum().backward()
        mean = float(model.module.running_mean[0])
        first = 0.1 * (0 if broadcast else rank)
        assert mean == pytest.approx(0.9 * first + 0.1 * (rank + 1))


@check
def uneven_inputs(rank: int, size: int) -> None:
    """Ranks whose batches end early go on with zeros, and end with the parameters of the last."""
    for by_all in (True, False):
        model = DistributedDataParallel(nn.Linear(1, 1, bias=False), bucket_cap_mb=1e-5)
        averages = []
        with model.join(divide_by_initial_world_size=by_all):
            for _ in range(2 + rank):
                model.zero_grad()
                model(sg.ones(1, 1)).sum().backward()
                averages.append(float(model.module.weight.grad))
                with sg.no_grad():
                    model.module.weight.add_(1)
        active = [size - max(0, step - 1) for step in range(2 + rank)]
        assert averages == pytest.approx([count / size if by_all else 1.0 for count in active])
        every = [sg.zeros(1, 1) for _ in range(size)]
        dist.all_gather(every, model.module.weight.detach())
        assert len({float(one) for one in every}) == 1


@check
def other_models_are_refused(rank: int, size: int) -> None:
    """Ranks whose parameters differ are told so at once; a module without parameters needs no averages."""
    group = dist.new_group()
    with pytest.raises(dist.DistBackendError, match="DistributedDataParallel with 2 parameters of checksum"):
        DistributedDataParallel(nn.Linear(2 + rank, 1), process_group=group)
    with pytest.raises(RuntimeError, match="is not needed when a module doesn't have any parameters"):
        DistributedDataParallel(nn.Tanh())


@check
def samplers_ask_the_group(rank: int, size: int) -> None:
    """A sampler without numbers has those of the default group."""
    assert [*DistributedSampler(range(2 * size), shuffle=False)] == [rank, rank + size]  # type: ignore[arg-type]


@check
def narrow_gradients(rank: int, size: int) -> None:
    """Gradients of bfloat16 are averaged in float32 and rounded once."""
    model = DistributedDataParallel(nn.Linear(1, 1, bias=False).to(sg.bfloat16))
    scale = 1.0 + 2.0**-7 * rank
    model(sg.full((1, 1), scale, dtype=sg.bfloat16)).sum().backward()
    exact = sum(1.0 + 2.0**-7 * one for one in range(size)) / size
    assert sg.equal(model.module.weight.grad, sg.tensor([[exact]]).to(sg.bfloat16))


class _Chosen(nn.Module):
    """A large layer that has a part in the loss on the first rank alone, before small ones."""

    def __init__(self) -> None:
        super().__init__()
        self.large, self.small = nn.Linear(300, 300).double(), nn.Linear(300, 1).double()

    def forward(self, x: Any, rank: int) -> Any:
        return self.small(x) if rank else self.small(self.large(x))


@check
def large_gradients(rank: int, size: int) -> None:
    """Those of 720 kB are averaged in their own memory; one that is held since the step before stays as it was."""
    model = DistributedDataParallel(nn.Linear(300, 300).double())
    mean, held = (size + 1) / 2, None
    for step in range(3):
        model.zero_grad()
        (model(sg.full((1, 300), rank + 1.0, dtype=sg.float64)).sum() * (step + 1)).backward()
        weight, bias = model.module.weight.grad, model.module.bias.grad
        assert weight.unique().tolist() == pytest.approx([mean * (step + 1)], rel=1e-14)
        assert bias.unique().tolist() == pytest.approx([step + 1], rel=1e-14)
        assert held is None or held.unique().tolist() == pytest.approx([mean * step], rel=1e-14)
        held = weight
    model.module.weight.grad = weight.t()  # lies otherwise: through memory of the bucket's own
    model(sg.full((1, 300), rank + 1.0, dtype=sg.float64)).sum().backward()
    assert model.module.weight.grad.unique().tolist() == pytest.approx([mean * 4], rel=1e-14)


@check
def large_gradients_of_some_ranks(rank: int, size: int) -> None:
    """A rank without such a gradient takes part with zeros, and gets the average too."""
    model = DistributedDataParallel(_Chosen(), find_unused_parameters=True)
    for _ in range(3):
        model.zero_grad()
        model(sg.ones(1, 300, dtype=sg.float64), rank).sum().backward()
        expected = model.module.small.weight.detach() / size
        sg.testing.assert_close(model.module.large.bias.grad, expected[0], rtol=1e-14, atol=0)
        assert model.module.large.weight.grad.shape == (300, 300)


@check
def statistics_of_all_ranks(rank: int, size: int) -> None:
    """SyncBatchNorm is BatchNorm of the whole batch: results, gradients and running estimates; batches may differ."""
    generator = sg.Generator().manual_seed(4)
    x = sg.randn(2 * size + 1, 3, 2, generator=generator, dtype=sg.float64)
    weights = sg.randn(x.shape, generator=generator, dtype=sg.float64)
    rows = slice(2 * rank, x.shape[0] if rank == size - 1 else 2 * rank + 2)  # the last rank has one more
    alone = nn.BatchNorm1d(3).double()
    layer = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(3).double())
    entire, part = x.clone().requires_grad_(), x[rows].clone().requires_grad_()
    expected, found = alone(entire), layer(part)
    (expected * weights).sum().backward()
    (found * weights[rows]).sum().backward()
    dist.all_reduce(layer.weight.grad)
    for one, other in (
        (found, expected[rows]),
        (part.grad, entire.grad[rows]),
        (layer.weight.grad, alone.weight.grad),
        (layer.running_mean, alone.running_mean),
        (layer.running_var, alone.running_var),
    ):
        sg.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)
    layer.eval()
    assert layer(part.detach()).shape == part.shape
