"""Functions of several ops, which make tensors of their own on the way: on a device their results are the CPU's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.places import simulated_device


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with simulated_device():
        yield


def numbers(*shape: int) -> Any:
    return sg.from_numpy(np.random.default_rng(0).standard_normal(shape))


def chosen(table: Any, indices: Any) -> Any:
    return sg.nn.functional.embedding(indices, table)


CALLS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "gradient by steps": (lambda x: sg.gradient(x, spacing=2.0), [numbers(5)]),
    "gradient by places": (lambda x, y: sg.gradient(x, spacing=(y,)), [numbers(5), sg.arange(5.0)]),
    "svd_lowrank": (lambda x: sg.svd_lowrank(x, 3)[1], [numbers(6, 3)]),
    "pca_lowrank": (lambda x: sg.pca_lowrank(x, 3)[1], [numbers(6, 3)]),
    "polynomial of a number": (lambda n: sg.special.chebyshev_polynomial_t(2.0, n), [sg.arange(4)]),
    "vmap of a choice": (lambda x, i: sg.func.vmap(lambda a, b: a[b])(x, i), [numbers(2, 4), sg.tensor([[0], [3]])]),
    "product as a bool": (lambda x: x.prod(1, dtype=sg.bool), [sg.tensor([[True, True], [True, False]])]),
    "bools times no": (
        lambda x, y: x.index_add(0, sg.tensor([1, 0], device=x.device), y, alpha=False),
        [sg.tensor([True, False]), sg.tensor([True, True])],
    ),
    "arcus of complex numbers": (sg.asin, [sg.tensor([-0.9 - 0.4j, 0.3 + 2j, -3.0 + 1j, 0.1j])]),
    "sums of nothing": (lambda x: x.sum((0, 2)), [sg.zeros(0, 3, 2, 2)]),
    "gradients of no copies": (lambda x: sg.func.grad(lambda y: y.repeat(0, 2).sum())(x), [numbers(3, 2)]),
    "vmap of tables": (lambda x, i: sg.func.vmap(chosen)(x, i), [numbers(2, 4, 3), sg.tensor([[0, 1], [3, 2]])]),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_the_cpu(name: str) -> None:
    call, given = CALLS[name]
    sg.manual_seed(0)
    expected = call(*given)
    sg.manual_seed(0)
    found = call(*[tensor.cuda() for tensor in given])
    pairs = zip(found, expected, strict=True) if isinstance(expected, (list, tuple)) else [(found, expected)]
    for one, other in pairs:
        assert one.is_cuda and one.dtype == other.dtype
        np.testing.assert_allclose(one.cpu().numpy(), other.numpy(), rtol=1e-12 if one.dtype == sg.float64 else 1e-6)
