"""Memory of a given layout, memory of somebody else, numbers at equal ratios, and settings that are only kept."""

from typing import Any

import numpy as np
import pytest


def test_memory_of_a_layout(lib: Any) -> None:
    """Strides, or the order of the dimensions, are as asked for."""
    assert lib.empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert lib.empty_strided((2, 0), (1, 2), dtype=lib.int64).dtype is lib.int64
    assert lib.ones(1, dtype=lib.float64).new_empty_strided((2, 2), (3, 1)).dtype is lib.float64
    made = lib.empty_permuted((2, 3, 5), (0, 2, 1))
    assert made.stride() == (15, 1, 3) and made.dim_order() == (0, 2, 1)
    x = lib.empty_strided((2, 3), (1, 2))
    assert x.fill_(2.0).sum() == 12 and x.is_set_to(x) and not x.is_set_to(x.clone())


@pytest.mark.parametrize(
    "call",
    [
        lambda lib: lib.empty_strided((2, 3), (1,)),
        lambda lib: lib.empty_strided((2, 3), (-1, 2)),
        lambda lib: lib.empty_permuted((2, 3), (0, 0)),
        lambda lib: lib.empty_permuted((2, 3), (0,)),
    ],
)
def test_layouts_that_there_are_not(lib: Any, call: Any) -> None:
    """Strides for other dimensions, and dimensions that are named twice."""
    with pytest.raises(RuntimeError):
        call(lib)


def test_memory_of_somebody_else(lib: Any) -> None:
    """Bytes are read as the dtype says, and writes are seen on both sides."""
    memory = bytearray(np.arange(4, dtype=np.int16).tobytes())
    x = lib.frombuffer(memory, dtype=lib.int16, count=2, offset=2)
    assert x.tolist() == [1, 2]
    x[0] = 7
    assert np.frombuffer(memory, np.int16).tolist() == [0, 7, 2, 3]
    assert lib.frombuffer(memory, dtype=lib.float32, requires_grad=True).requires_grad


@pytest.mark.parametrize(
    "arguments", [{"count": 3}, {"count": 0}, {"offset": 4}, {"offset": -1}, {"offset": 1}], ids=str
)
def test_memory_that_is_too_short(lib: Any, arguments: dict[str, int]) -> None:
    """Elements beyond the end, none at all, and parts of an element."""
    with pytest.raises(ValueError, match="must"):
        lib.frombuffer(bytearray(4), dtype=lib.int16, **arguments)
    with pytest.raises(ValueError, match="buffer protocol"):
        lib.frombuffer(3, dtype=lib.int16)


def test_equal_ratios(lib: Any) -> None:
    """base^start to base^end; integers are cut off."""
    np.testing.assert_allclose(lib.logspace(-2, 1, 4).numpy(), [0.01, 0.1, 1, 10], rtol=1e-6)
    assert lib.logspace(0, 3, 4, base=2, dtype=lib.int64).tolist() == [1, 2, 4, 8]
    assert lib.logspace(0, 3, 1).tolist() == [1] and lib.logspace(0, 3, 0).shape == (0,)
    assert str(lib.logspace(0, 1, 3, base=-2)[1].item()) == "nan"
    with pytest.raises(RuntimeError, match="number of steps must be non-negative"):
        lib.logspace(0, 1, -1)
    assert lib.scalar_tensor(3).dtype is lib.float32


def test_nothing_is_lazy(lib: Any) -> None:
    """A conjugate or negative is a tensor like others, and no memory is shared with other processes."""
    x = lib.tensor([1 + 2j])
    assert not lib.is_conj(x) and not x.is_neg() and not x.is_shared()
    assert lib.resolve_conj(x.conj()).tolist() == [1 - 2j] and lib.resolve_neg(x.conj().imag).tolist() == [-2]


def test_settings_are_kept(lib: Any) -> None:
    """What was set is what is told."""
    for mode, level in (("warn", 1), (2, 2), ("default", 0)):
        lib.set_deterministic_debug_mode(mode)
        assert lib.get_deterministic_debug_mode() == level
        assert lib.is_deterministic_algorithms_warn_only_enabled() == (level == 1)
    for wrong in (7, "x"):
        with pytest.raises(RuntimeError):
            lib.set_deterministic_debug_mode(wrong)
    lib.set_default_device("cpu")
    assert lib.get_default_device().type == "cpu" and lib.get_num_interop_threads() > 0
    lib.set_default_device(None)
    assert lib.set_flush_denormal(False)
    lib.set_warn_always(True)
    assert lib.is_warn_always_enabled()
    lib.set_warn_always(False)


def test_powers_in_place_need_double(lib: Any) -> None:
    """The result is in double, and what it is written to must be: nothing is rounded in silence."""
    for x in (lib.ones(2), lib.ones(2, dtype=lib.int64)):
        with pytest.raises(RuntimeError, match="the base given to float_power_ has dtype"):
            x.float_power_(2)
    with pytest.raises(RuntimeError, match="requires dtype"):
        lib.ones(2, dtype=lib.float64).float_power_(2j)
    with pytest.raises(RuntimeError, match="cast"):
        lib.ones(2, dtype=lib.int64).polygamma_(1)
