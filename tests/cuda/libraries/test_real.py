"""Libraries of real devices, over fakes of `nvmath.bindings`: the order and the meaning of all arguments."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.cuda.driver import driver
from specgrad.runtime.cuda.libraries import real
from specgrad.runtime.cuda.libraries.chosen import libraries
from tests.cuda.libraries import nvmath_record
from tests.cuda.libraries.fake_cublas import FakeCublas, FakeCufft
from tests.cuda.libraries.fake_cusolver import FakeCusolverDn
from tests.cuda.libraries.fake_nvmath import World, installed
from tests.cuda.libraries.test_entries import BY_NAME, NAMES, check_entry
from tests.cuda.simulator import simulated
from tests.places import simulated_device

CALLED = [name for name in NAMES if BY_NAME[name].function.__module__.rpartition(".")[2] in ("matmul", "fft", "linalg")]


@pytest.fixture
def world() -> Iterator[World]:
    """Real libraries on the simulated device of all tests."""
    with simulated_device(), installed(driver(), FakeCublas, FakeCufft, FakeCusolverDn) as found:
        yield found


@pytest.mark.parametrize("name", CALLED)
def test_entries(world: World, name: str) -> None:
    """Outputs and gradients are those of the CPU."""
    check_entry(name)


@pytest.mark.parametrize("kind", [sg.float32, sg.complex64, sg.complex128], ids=str)
def test_solvers_in_other_dtypes(world: World, kind: Any) -> None:
    """Each dtype has routines of its own, which find what NumPy finds."""
    rng = np.random.default_rng(1)
    given = rng.normal(size=(2, 4, 4)) + (1j * rng.normal(size=(2, 4, 4)) if kind.kind == "c" else 0)
    hermitian = given @ given.conj().swapaxes(1, 2) + np.eye(4)
    a, b = (sg.tensor(x, device="cuda").to(kind) for x in (given, hermitian))
    close: dict[str, Any] = {"rtol": 2e-4, "atol": 2e-4} if kind is not sg.complex128 else {"rtol": 1e-9, "atol": 1e-9}

    def same(found: Any, wanted: Any) -> None:
        np.testing.assert_allclose(found.cpu().numpy(), wanted, **close)

    same(sg.linalg.inv(a), np.linalg.inv(given))
    same(sg.linalg.cholesky(b), np.linalg.cholesky(hermitian))
    same(sg.linalg.eigvalsh(b), np.linalg.eigvalsh(hermitian))
    same(sg.linalg.svdvals(a), np.linalg.svd(given, compute_uv=False))
    q, r = sg.linalg.qr(a)
    same(q @ r, given)
    same(q.mH @ q, np.broadcast_to(np.eye(4), (2, 4, 4)))
    u, s, vh = sg.linalg.svd(a)
    same((u * s.unsqueeze(-2)) @ vh, given)
    w, v = sg.linalg.eigh(b)
    same((v * w.unsqueeze(-2)) @ v.mH, hermitian)
    values, vectors = sg.linalg.eig(a)
    same(a.to(values.dtype) @ vectors, (vectors * values.unsqueeze(-2)).cpu().numpy())
    same(sg.linalg.solve_triangular(a.tril(), b, upper=False), np.linalg.solve(np.tril(given), hermitian))
    same(sg.fft.ifft(sg.fft.fft(a)), given)


@pytest.mark.parametrize("real_kind", [sg.float32, sg.float64], ids=str)
def test_transforms_in_both_precisions(world: World, real_kind: Any) -> None:
    """Real and complex transforms, forward and back."""
    given = np.random.default_rng(2).normal(size=(3, 4, 6))
    a = sg.tensor(given, device="cuda").to(real_kind)
    half = sg.fft.rfft2(a)
    tolerance = 1e-4 if real_kind is sg.float32 else 1e-10
    np.testing.assert_allclose(half.cpu().numpy(), np.fft.rfft2(given), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(sg.fft.irfft2(half).cpu().numpy(), given, rtol=tolerance, atol=tolerance)
    assert half.dtype is (sg.complex64 if real_kind is sg.float32 else sg.complex128)


def test_plans_are_kept_and_given_back(world: World) -> None:
    """Equal transforms share a plan; there are only so many, and the one unused for longest goes."""
    found: Any = libraries()
    found.here.plans.most = 2

    def transform(size: int) -> None:
        sg.fft.fft(sg.ones(size, device="cuda", dtype=sg.complex64))

    for size in (4, 5, 4, 6, 4):
        transform(size)
    assert [world.calls.count(name) for name in ("make_plan_many64", "destroy")] == [3, 1]
    transform(5)
    assert [world.calls.count(name) for name in ("make_plan_many64", "destroy")] == [4, 2]


def test_streams_threads_and_devices_have_handles() -> None:
    """Work goes to the current stream; a handle belongs to one thread and one device."""
    with simulated(2) as simulator, installed(simulator, FakeCublas) as world:
        for place in ("cuda:0", "cuda:1"):
            a = sg.eye(3, device=place)
            stream = sg.cuda.Stream(device=place)
            sg.cuda.synchronize(place)
            with sg.cuda.stream(stream):
                b = a @ a
            assert {each["stream"] for each in world.handles.values()} >= {stream.cuda_stream}
            stream.synchronize()
            assert bool((b == a).all())
        assert sorted(each["device"] for each in world.handles.values()) == [0, 1]

        def work() -> None:
            c = sg.eye(2, device="cuda:0")
            c @ c

        other = threading.Thread(target=work)
        other.start()
        other.join()
        assert sorted(each["device"] for each in world.handles.values()) == [0, 0, 1]


def test_constants_are_those_of_the_package() -> None:
    """What the code calls by number has that number in the package's enumerations."""
    data, compute = nvmath_record.enumeration(".CudaDataType"), nvmath_record.enumeration("cublas.ComputeType")
    letters = {"float": "R", "complex": "C"}
    for name, number in real.DATA_TYPES.items():
        word, bits = name.rstrip("0123456789"), int(name[len(name.rstrip("0123456789")) :])
        own = "R_16BF" if name == "bfloat16" else f"{letters[word]}_{bits // (1 + (word == 'complex'))}F"
        assert data[f"CUDA_{own}"] == number
    assert {compute(number).name for number in real.COMPUTE_TYPES.values()} == {"COMPUTE_32F", "COMPUTE_64F"}


if importlib.util.find_spec("nvmath") is not None:

    def test_the_record_is_that_of_the_package() -> None:
        """The installed package says what was written down of it."""
        assert nvmath_record.PATH.read_text().splitlines() == nvmath_record.recorded()
