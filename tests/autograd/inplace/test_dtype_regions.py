"""Random programs that write through views of another dtype: a model, PyTorch where it is installed, and vmap agree."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd import forward_ad

from .dtype_region_programs import Memory, numbers, program, run, weights

SEEDS = range(150)


def loss(lib: Any, tensors: list[Any]) -> Any:
    """A sum over the parts of all tensors."""
    total = 0
    for number, tensor in enumerate(tensors):
        if not isinstance(tensor, RuntimeError):
            parts = lib.view_as_real(tensor) if tensor.is_complex() else tensor
            total = total + (parts * lib.tensor(weights(tuple(parts.shape), number))).sum()
    return total


def seen(tensor: Any) -> Any:
    """All that is compared of a tensor of a program."""
    if isinstance(tensor, RuntimeError):
        return RuntimeError
    return tensor._version, tensor.requires_grad, tuple(tensor.shape), tensor.is_complex(), tensor._base is None


@pytest.mark.parametrize("seed", SEEDS)
def test_writes_through_views(seed: int) -> None:
    """Values, gradients and tangents are those of a model that knows only places in memory."""
    shape, steps = program(seed)
    leaf = sg.tensor(numbers(shape), requires_grad=True)
    tensors = run(sg, leaf, steps)
    memory = Memory(numbers(shape))
    memory.follow(steps, tensors)
    derivatives: Any = 0
    for number, (tensor, cell) in enumerate(zip(tensors, memory.cells, strict=True)):
        if cell is not None:
            values, parts = memory.dual(cell)
            assert np.allclose(tensor.detach().numpy(), values)
            pairs = np.stack([parts.real, parts.imag], -2) if cell.is_complex else parts
            derivatives = derivatives + np.tensordot(weights(pairs.shape[:-1], number), pairs, pairs.ndim - 1)
    loss(sg, tensors).backward()
    assert np.allclose(leaf.grad.numpy().reshape(-1).view(np.float64), derivatives)
    with forward_ad.dual_level():
        tangent = np.random.default_rng(seed).normal(size=(*shape, 2))
        dual = forward_ad.make_dual(leaf.detach(), sg.view_as_complex(sg.tensor(tangent)))
        found = forward_ad.unpack_dual(loss(sg, run(sg, dual, steps))).tangent
    assert np.allclose(found.numpy(), tangent.reshape(-1) @ derivatives)


def test_writes_through_views_as_pytorch() -> None:
    """Errors, versions and gradients are PyTorch's."""
    torch: Any = pytest.importorskip("torch")
    for seed in SEEDS:
        shape, steps = program(seed)
        leaves = [lib.tensor(numbers(shape), requires_grad=True) for lib in (sg, torch)]
        ours, theirs = (run(lib, leaf, steps) for lib, leaf in zip((sg, torch), leaves, strict=True))
        assert [seen(t) for t in ours] == [seen(t) for t in theirs], seed
        for lib, tensors in ((sg, ours), (torch, theirs)):
            loss(lib, tensors).backward()
        assert np.allclose(leaves[0].grad.numpy(), leaves[1].grad.numpy()), seed


@pytest.mark.parametrize("seed", range(40))
def test_writes_through_views_under_vmap(seed: int) -> None:
    """A batch of programs at once is a loop over them."""
    shape, steps = program(seed)
    batch = sg.tensor(np.stack([numbers(shape), 0.5j * numbers(shape)]))

    def after(leaf: Any) -> Any:
        return loss(sg, run(sg, leaf, steps))

    values, grads = sg.func.vmap(after)(batch), sg.func.vmap(sg.func.grad(after))(batch)
    for i in range(2):
        assert np.allclose(values[i].numpy(), after(batch[i]).numpy())
        assert np.allclose(grads[i].numpy(), sg.func.grad(after)(batch[i]).numpy())
