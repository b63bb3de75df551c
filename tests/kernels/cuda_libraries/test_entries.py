"""Entries of the families that have products, windows, transforms and solvers: a device gives what the CPU gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.errors import DtypeError
from specgrad.runtime.kernels.cuda_launch import cpu_fallback
from tests.generated.calls import BY_NAME, Style, call_sources, gradients, run
from tests.places import simulated_device

FAMILIES = ("matmul", "conv", "pooling", "image", "attention", "recurrent", "distance", "fft", "linalg")
NAMES = [name for name, op in BY_NAME.items() if op.function.__module__.rpartition(".")[2] in FAMILIES]
# cuSOLVER has no LDL of Hermitian matrices, and grid_sampler is composed of other ops on devices.
HOST = {"cofactors_along", "ldl_packed", "ldl_solve_matrices", "sample_grid", "sample_grid_backward"}
FREE_SIGNS = {"linalg_svd", "svd_factors", "svd", "linalg_eig", "general_eigen"}  # of vectors


@pytest.fixture
def no_host(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A simulated device on which no kernel of these families is computed on the host."""
    inner = cpu_fallback.Fallback.__call__

    def call(self: Any, *given: Any) -> Any:
        family = self.kernel.__module__.rpartition(".ops.")[2].partition(".")[0]
        assert family not in FAMILIES or self.name in HOST, f"{self.name} is computed on the host"
        return inner(self, *given)

    with simulated_device():
        monkeypatch.setattr(cpu_fallback.Fallback, "__call__", call)
        yield


def values(tensors: Any) -> list[Any]:
    """Tensors as NumPy arrays."""
    return [None if t is None else t.detach().cpu().numpy() for t in tensors]


def assert_same(found: Any, requested: Any, free_signs: bool) -> None:
    assert len(found) == len(requested)
    for one, other in zip(values(found), values(requested), strict=True):
        if other is None:
            assert one is None
            continue
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        if free_signs:
            one, other = abs(one), abs(other)
        scale = abs(other[np.isfinite(other)]).max(initial=1) if other.dtype.kind in "fc" else 1
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10 * scale)


@pytest.mark.parametrize("name", NAMES)
def test_outputs_and_gradients(no_host: None, name: str) -> None:
    """Both are those of the CPU, the gradients for operands in reversed order of dimensions with gaps."""
    check_entry(name)


def check_entry(name: str) -> None:
    for text in call_sources(BY_NAME[name]):
        here, there = (Style(sg.float64, device=target_device) for target_device in ("cpu", "cuda"))
        try:
            requested = run(name, text, here)
        except DtypeError as refused:  # of calls that are for complex numbers
            with pytest.raises(type(refused)):
                run(name, text, there)
            continue
        assert_same(run(name, text, there), requested, name in FREE_SIGNS)
        if name not in FREE_SIGNS:
            here, there = (Style(sg.float64, True, True, target_device) for target_device in ("cpu", "cuda"))
            assert_same(gradients(name, text, there), gradients(name, text, here), False)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (2, 4, 4)], ids=str)
@pytest.mark.parametrize("kind", [sg.float64, sg.complex128], ids=str)
def test_vectors_whose_signs_are_free(no_host: None, shape: tuple[int, ...], kind: Any) -> None:
    """Singular vectors put the matrix together again, and eigenvectors are such; so are their gradients' invariants."""
    rng = np.random.default_rng(len(shape))
    given = rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind.kind == "c" else 0)
    a = sg.tensor(given, device="cuda", requires_grad=True)
    u, s, vh = sg.linalg.svd(a, full_matrices=False)
    np.testing.assert_allclose(values([(u * s.unsqueeze(-2)) @ vh])[0], given, rtol=1e-10, atol=1e-10)
    (derivative,) = sg.autograd.grad((u.abs() ** 4).sum() + (vh.abs() ** 4).sum(), a)
    b = sg.tensor(given, requires_grad=True)
    u, _, vh = sg.linalg.svd(b, full_matrices=False)
    (requested,) = sg.autograd.grad((u.abs() ** 4).sum() + (vh.abs() ** 4).sum(), b)
    np.testing.assert_allclose(values([derivative])[0], values([requested])[0], rtol=1e-7, atol=1e-7)
    if shape[-1] == shape[-2]:
        w, v = sg.linalg.eig(a.detach())
        wide = a.detach().to(sg.complex128)
        np.testing.assert_allclose(values([wide @ v])[0], values([v * w.unsqueeze(-2)])[0], rtol=1e-9, atol=1e-9)
