"""Regions of autocast: what is cast inside them, how they nest and end, and what threads see."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.tensor.observers import watch

F = sg.nn.functional


def product() -> Any:
    return sg.mm(sg.ones(2, 2), sg.ones(2, 2)).dtype


def test_a_region_casts_and_ends() -> None:
    """Inside, products have 16 bits; outside nothing is left of it, and native code is asked first."""
    with sg.autocast("cpu"):
        assert product() is sg.bfloat16
        assert sg.is_autocast_enabled("cpu") and not sg.is_autocast_enabled() and not sg.is_autocast_enabled("cuda")
        assert watch.casts and not watch.every and not watch.active
    assert product() is sg.float32
    assert not sg.is_autocast_enabled("cpu")
    assert not watch.casts


def test_regions_nest() -> None:
    """The innermost one counts, also where it casts nothing, and an exception ends it."""
    with sg.autocast("cpu"):
        with sg.autocast("cpu", enabled=False):
            assert product() is sg.float32
            with sg.autocast("cpu", dtype=sg.float16):
                assert product() is sg.float16
        with pytest.raises(ZeroDivisionError), sg.autocast("cpu", enabled=False):
            1 / 0  # noqa: B018
        assert product() is sg.bfloat16
        assert sg.get_autocast_dtype("cpu") is sg.bfloat16


def test_one_region_may_be_entered_again() -> None:
    """A decorated function that calls itself leaves the thread as it was."""

    @sg.autocast("cpu")
    def down(number: int) -> Any:
        return down(number - 1) if number else product()

    assert down(2) is sg.bfloat16
    assert down.__name__ == "down"
    assert product() is sg.float32


def test_each_thread_has_its_own() -> None:
    """A thread that is started in a region is in none."""
    found = []
    with sg.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append((product(), sg.is_autocast_enabled("cpu"))))
        thread.start()
        thread.join()
    assert found == [(sg.float32, False)]


def test_settings_without_a_region() -> None:
    """The functions that regions are made of."""
    sg.set_autocast_dtype("cpu", sg.float16)
    sg.set_autocast_enabled("cpu", True)
    try:
        assert product() is sg.float16
    finally:
        sg.set_autocast_enabled("cpu", False)
        sg.set_autocast_dtype("cpu", sg.bfloat16)
    assert product() is sg.float32
    assert sg.is_autocast_cache_enabled()
    assert (sg.autocast_increment_nesting(), sg.autocast_decrement_nesting()) == (1, 0)


def mixed_products() -> list[Any]:
    half = sg.ones(2, 2, dtype=sg.float16)
    return [sg.mm(half, sg.ones(2, 2)), F.linear(sg.ones(1, 2), half, sg.ones(2)), sg.bmm(half[None], half[None])]


def test_operands_need_not_have_one_dtype() -> None:
    """They are all cast to that of the region."""
    with sg.autocast("cpu"):
        assert [found.dtype for found in mixed_products()] == [sg.bfloat16] * 3


def test_what_is_not_cast() -> None:
    """float64 and integers, what is written in place or into `out`, and ops without a word."""
    with sg.autocast("cpu"):
        assert sg.mm(sg.ones(2, 2).double(), sg.ones(2, 2).double()).dtype is sg.float64
        assert sg.mm(sg.ones(2, 2).long(), sg.ones(2, 2).long()).dtype is sg.int64
        assert sg.mm(sg.ones(2, 2), sg.ones(2, 2), out=sg.empty(2, 2)).dtype is sg.float32
        assert sg.matmul(sg.ones(2, 2), sg.ones(2, 2), out=sg.empty(2, 2)).dtype is sg.float32
        assert sg.ones(2, 2).addmm_(sg.ones(2, 2), sg.ones(2, 2)).dtype is sg.float32
        assert sg.ones(2).index_copy_(0, sg.tensor([0]), sg.zeros(1)).tolist() == [0, 1]
        assert sg.ones(2).exp().dtype is sg.float32
        assert sg.ones(2).bfloat16().exp().dtype is sg.bfloat16


def test_the_widest_dtype() -> None:
    """float32 wins over the region's; another dtype of 16 bits is an error; float64 has no say."""
    half = sg.ones(2, dtype=sg.bfloat16)
    with sg.autocast("cpu"):
        assert sg.cat([half, sg.ones(2)]).dtype is sg.float32
        assert sg.cat([half, half]).dtype is sg.bfloat16
        assert sg.stack([half, half.double()]).dtype is sg.float64
        with pytest.raises(RuntimeError, match="Unexpected floating dtype in autocast to bfloat16: bfloat16, float16"):
            sg.cat([half, half.half()])


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: sg.autocast(3), ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"),  # type: ignore[arg-type]
    (lambda: sg.autocast("abacus"), RuntimeError, "User specified an unsupported autocast device_type 'abacus'"),
    (lambda: sg.autocast("cpu")(3), TypeError, "requires a callable, but got int"),  # type: ignore[arg-type]
    (lambda: sg.get_autocast_dtype("abacus"), RuntimeError, "Expected one of cuda, cpu device type"),
    (lambda: sg.set_autocast_enabled("cpu", 1), TypeError, "argument 'enabled' must be bool, not int"),
    (lambda: sg.set_autocast_dtype("cpu", "float16"), TypeError, "argument 'dtype' must be specgrad.dtype, not str"),  # type: ignore[arg-type]
    (lambda: sg.amp.is_autocast_available(3), TypeError, "argument 'device_type' must be str, not int"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "says"), WRONG)
def test_wrong_arguments(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    """The classes of PyTorch's errors, and its sentences."""
    with pytest.raises(error, match=says.replace("(", r"\(")):
        call()


def test_what_there_is_not_casts_nothing() -> None:
    """Another dtype and a device that is missing are warnings; the region is one that is not enabled."""
    with pytest.warns(UserWarning, match="In CPU autocast, but the target dtype is not supported. Disabling autocast."):
        region = sg.autocast("cpu", dtype=sg.float64)
    with region:
        assert product() is sg.float32
    if not sg.cuda.is_available():
        with pytest.warns(UserWarning, match="CUDA is not available. Disabling autocast."):
            sg.autocast("cuda")


def test_old_names() -> None:
    """They say what stands for them, and do what they did."""
    with pytest.warns(FutureWarning, match=r"Please use `specgrad.amp.autocast\('cpu', args...\)` instead"):
        region = sg.cpu.amp.autocast(dtype=sg.float16)
    with region:
        assert product() is sg.float16
        with pytest.warns(DeprecationWarning, match=r"use specgrad.is_autocast_enabled\('cpu'\) instead"):
            assert sg.is_autocast_cpu_enabled()
        with pytest.warns(DeprecationWarning, match=r"use specgrad.get_autocast_dtype\('cpu'\) instead"):
            assert sg.get_autocast_cpu_dtype() is sg.float16
    with pytest.warns(DeprecationWarning, match=r"use specgrad.get_autocast_dtype\('cuda'\) instead"):
        assert sg.get_autocast_gpu_dtype() is sg.float16
    with pytest.warns(FutureWarning, match="GradScaler"):
        assert sg.cpu.amp.GradScaler().get_scale() == 2.0**16
    with pytest.warns(FutureWarning, match="custom_bwd"):
        sg.cuda.amp.custom_bwd(lambda ctx, grad: grad)


def test_devices_that_only_pytorch_has(lib: Any) -> None:
    """Nothing is cast for them, which a program may ask; an unknown device is an error."""
    for kind in ("mps", "xpu", "hpu"):
        assert not lib.is_autocast_enabled(kind)
    assert lib.get_autocast_dtype("mps") is lib.float16 and lib.get_autocast_dtype("xla") is lib.bfloat16
    with pytest.raises(RuntimeError):
        lib.is_autocast_enabled("abacus")
