"""Libraries of real devices, over fakes of `nvmath.bindings`: the order and the meaning of all arguments."""

from __future__ import annotations

import gc
import importlib.util
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.cuda.driver import driver
from specgrad.runtime.kernels.cuda_libraries import cublaslt, cusolver
from specgrad.runtime.kernels.cuda_libraries.libraries import libraries
from tests.device.cuda.simulator import simulated
from tests.kernels.cuda_libraries import nvmath_record
from tests.kernels.cuda_libraries.fake_cublas import FakeCublas, FakeCufft
from tests.kernels.cuda_libraries.fake_cublaslt import FakeCublasLt
from tests.kernels.cuda_libraries.fake_cusolver import FakeCusolverDn
from tests.kernels.cuda_libraries.fake_nvmath import World, installed
from tests.kernels.cuda_libraries.test_entries import BY_NAME, NAMES, check_entry
from tests.places import simulated_device

KINDS = ("desc", "algorithm")
CALLED = [name for name in NAMES if BY_NAME[name].function.__module__.rpartition(".")[2] in ("matmul", "fft", "linalg")]


@pytest.fixture
def world() -> Iterator[World]:
    """Real libraries on the simulated device of all tests."""
    with simulated_device(), installed(driver(), FakeCublas, FakeCublasLt, FakeCufft, FakeCusolverDn) as found:
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

    def same(found: Any, expected: Any) -> None:
        np.testing.assert_allclose(found.cpu().numpy(), expected, **close)

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


def test_batches_of_small_matrices_are_one_call(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of large matrices, and single ones, are a call for each."""
    rng = np.random.default_rng(4)
    given = rng.normal(size=(3, 2, 5, 5)) + 5 * np.eye(5)
    a, right = sg.tensor(given, device="cuda"), sg.tensor(rng.normal(size=(3, 2, 5, 4)), device="cuda")
    found = sg.linalg.solve(a, right).cpu().numpy()
    np.testing.assert_allclose(found, np.linalg.solve(given, right.cpu().numpy()), rtol=1e-10, atol=1e-10)
    hermitian = given @ given.swapaxes(-1, -2)
    factor = sg.linalg.cholesky(sg.tensor(hermitian, device="cuda"))
    np.testing.assert_allclose(factor.cpu().numpy(), np.linalg.cholesky(hermitian), rtol=1e-10, atol=1e-10)
    solved = sg.linalg.solve_triangular(factor, right, upper=False).cpu().numpy()
    np.testing.assert_allclose(factor.cpu().numpy() @ solved, right.cpu().numpy(), rtol=1e-10, atol=1e-10)
    called = [name for name in world.calls if name not in ("create", "set_stream")]
    assert called == ["dgetrf_batched", "dgetrs_batched", "dpotrf_batched", "dtrsm_batched"]
    world.calls.clear()
    sg.linalg.cholesky(sg.tensor(hermitian[0, 0], device="cuda"))
    monkeypatch.setattr(cusolver, "SMALL", 3)
    sg.linalg.cholesky(sg.eye(4, device="cuda").expand(2, 4, 4))
    assert [name for name in world.calls if "potrf" in name and "size" not in name] == ["dpotrf", "spotrf", "spotrf"]


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
    found.here.plans.max_entries = 2

    def transform(size: int) -> None:
        sg.fft.fft(sg.ones(size, device="cuda", dtype=sg.complex64))

    for size in (4, 5, 4, 6, 4):
        transform(size)
    assert [world.calls.count(name) for name in ("make_plan_many64", "destroy")] == [3, 1]
    transform(5)
    assert [world.calls.count(name) for name in ("make_plan_many64", "destroy")] == [4, 2]


def test_streams_threads_and_devices_have_handles() -> None:
    """Work goes to the current stream; a handle belongs to one thread and one device."""
    with simulated(2) as simulator, installed(simulator, FakeCublasLt) as world:
        for target_device in ("cuda:0", "cuda:1"):
            a = sg.eye(3, device=target_device)
            stream = sg.cuda.Stream(device=target_device)
            sg.cuda.synchronize(target_device)
            with sg.cuda.stream(stream):
                b = a @ a
            assert world.streams[-1] == stream.cuda_stream
            stream.synchronize()
            assert bool((b == a).all())
        assert devices_of_handles(world) == [0, 1]

        def work() -> None:
            c = sg.eye(2, device="cuda:0")
            c @ c

        other = threading.Thread(target=work)
        other.start()
        other.join()
        assert devices_of_handles(world) == [0, 0, 1]


def devices_of_handles(world: World) -> list[int]:
    """The devices of all handles of a library."""
    return sorted(each["device"] for each in world.handles.values() if each["kind"] == FakeCublasLt.name)


@pytest.mark.parametrize("kind", [sg.float32, sg.float64, sg.float16, sg.bfloat16], ids=str)
def test_bias_is_added_by_the_library(world: World, kind: Any) -> None:
    """A linear layer is one product with its bias, whose algorithm is chosen once for a shape."""
    rng = np.random.default_rng(3)
    x, w, b = (rng.integers(-8, 9, shape) / 4 for shape in ((2, 5, 3), (4, 3), (4,)))
    given = [sg.tensor(value, device="cuda").to(kind) for value in (x, w, b)]
    biases = given[2], sg.stack([given[2], given[2]], 1)[:, 0]
    for bias in biases:
        found = sg.nn.functional.linear(given[0], given[1], bias).cpu().to(sg.float64).numpy()
        np.testing.assert_allclose(found, x @ w.T + b, rtol=0, atol=2**-4 if kind is sg.bfloat16 else 2**-7)
    assert world.calls.count("matmul_algo_get_heuristic") == 1
    world.calls.clear()  # the first call of a layout may be rehearsed
    for bias in biases:
        sg.nn.functional.linear(given[0], given[1], bias)
    assert [name for name in world.calls if "set_" not in name] == ["matmul"] * 2


def test_a_bias_that_the_library_refuses(world: World) -> None:
    """Then the product is added to copies of the bias; complex numbers are not asked for."""
    world.modules["cublasLt"].refusing = True
    x, w, b = sg.ones(2, 3, device="cuda"), sg.ones(4, 3, device="cuda"), sg.arange(4.0, device="cuda")
    for _ in range(2):
        assert sg.nn.functional.linear(x, w, b).tolist() == [[3, 4, 5, 6]] * 2
    assert world.calls.count("matmul_algo_get_heuristic") == 2 and "matmul" not in world.calls  # and without a bias
    assert "gemm_strided_batched_ex_64" in world.calls
    given = (each.to(sg.complex64) for each in (x, w, b))
    assert sg.nn.functional.linear(*given).tolist() == [[3, 4, 5, 6]] * 2


def test_choices_that_go_give_back_what_they_hold(world: World) -> None:
    """Of descriptors and layouts there are as many as choices that are kept."""
    found: Any = libraries()
    found.products_here.choices.max_entries = 2
    for rows in (1, 2, 3, 4):
        with sg.cuda.stream(sg.cuda.Stream()):  # a first call there, which is not rehearsed
            sg.nn.functional.linear(*(sg.ones(*shape, device="cuda") for shape in ((rows, 3), (2, 3), (2,))))
    gc.collect()
    kinds = [each["kind"] for each in world.handles.values()]
    assert [kinds.count(kind) for kind in ("desc", "layout", "preference")] == [2, 6, 0]


def test_precision_of_products(world: World) -> None:
    """TF32 and sums of 16 bits are used where they are allowed, for products with and without a bias."""
    matmul = sg.backends.cuda.matmul

    def requested(kind: Any) -> tuple[str, bool]:
        x, b = sg.ones(2, 2, device="cuda").to(kind), sg.ones(2, device="cuda").to(kind)
        answers = []
        for product in (lambda: x @ x, lambda: sg.nn.functional.linear(x, x, b)):
            product()
            desc, algorithm = ([each for each in world.handles.values() if each["kind"] == kind][-1] for kind in KINDS)
            answers.append((desc["compute"].name, "REDUCTION_SCHEME_MASK" in algorithm["preference"]))
        assert answers[0] == answers[1]
        return answers[0]

    assert requested(sg.float32) == ("COMPUTE_32F", False)
    sg.set_float32_matmul_precision("high")
    try:
        assert matmul.allow_tf32
        assert requested(sg.float32) == ("COMPUTE_32F_FAST_TF32", False)
        assert requested(sg.float64)[0] == "COMPUTE_64F"
    finally:
        matmul.allow_tf32 = False
    assert sg.get_float32_matmul_precision() == "highest"
    matmul.allow_bf16_reduced_precision_reduction = False
    try:
        assert requested(sg.bfloat16) == ("COMPUTE_32F", True)
        assert requested(sg.float16) == ("COMPUTE_32F", False)
    finally:
        matmul.allow_bf16_reduced_precision_reduction = True


def test_constants_are_those_of_the_package() -> None:
    """What the code calls by number has that number in the package's enumerations."""
    data, compute = nvmath_record.enumeration(".CudaDataType"), nvmath_record.enumeration("cublas.ComputeType")
    arg_kinds = {"float": "R", "complex": "C"}
    for name, number in cublaslt.DATA_TYPES.items():
        word, bits = name.rstrip("0123456789"), int(name[len(name.rstrip("0123456789")) :])
        own = "R_16BF" if name == "bfloat16" else f"{arg_kinds[word]}_{bits // (1 + (word == 'complex'))}F"
        assert data[f"CUDA_{own}"] == number
    assert {compute(number).name for number in cublaslt.COMPUTE_TYPES.values()} == {"COMPUTE_32F", "COMPUTE_64F"}


if importlib.util.find_spec("nvmath") is not None:

    def test_the_record_is_that_of_the_package() -> None:
        """The installed package says what was written down of it."""
        assert nvmath_record.PATH.read_text().splitlines() == nvmath_record.recorded()
