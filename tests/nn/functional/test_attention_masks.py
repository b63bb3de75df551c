"""`nn.attention`: masks, and the switches by which kernels are chosen."""

import importlib
from typing import Any

import numpy as np
import pytest

import specgrad as sg


@pytest.mark.parametrize(("queries", "keys"), [(3, 3), (2, 5), (5, 2), (1, 1)])
def test_causal_masks(lib: Any, queries: int, keys: int) -> None:
    """The triangle begins in the corner that the name says, in attention too."""
    bias = importlib.import_module(f"{lib.__name__}.nn.attention.bias")
    q, k = (lib.tensor(np.sin(np.arange(n * 4.0))).reshape(1, 1, n, 4) for n in (queries, keys))
    for mask, shift in ((bias.causal_upper_left, 0), (bias.causal_lower_right, keys - queries)):
        allowed = np.tri(queries, keys, shift)
        scores = np.where(allowed, (q @ k.mT).cpu().numpy()[0, 0] / 2, -np.inf)
        if not allowed.any(1).all():
            continue  # a query without keys: zeros here, not a number there
        weights = np.exp(scores - scores.max(1, keepdims=True))
        expected = (weights / weights.sum(1, keepdims=True)) @ k.cpu().numpy()[0, 0]
        if lib is sg:
            found = lib.nn.functional.scaled_dot_product_attention(q, k, k, mask(queries, keys))
            np.testing.assert_allclose(found.cpu().numpy()[0, 0], expected, rtol=1e-10)
            assert mask(queries, keys).tolist() == (allowed > 0).tolist()
    if lib is sg:
        with pytest.raises(RuntimeError, match="two sizes"):
            bias.causal_upper_left(3)


@pytest.mark.cpu("switches are no tensors")
def test_choice_of_kernels(lib: Any) -> None:
    """The switches say in a block what is allowed, and afterwards what they said before."""
    attention, switches = importlib.import_module(f"{lib.__name__}.nn.attention"), lib.backends.cuda
    kinds = attention.SDPBackend
    names = ("flash_sdp_enabled", "math_sdp_enabled", "mem_efficient_sdp_enabled")
    before = [getattr(switches, name)() for name in names]
    with attention.sdpa_kernel([kinds.FLASH_ATTENTION, kinds.MATH]):
        assert [getattr(switches, name)() for name in names] == [True, True, False]
        with attention.sdpa_kernel(kinds.EFFICIENT_ATTENTION):
            assert [getattr(switches, name)() for name in names] == [False, False, True]
    assert [getattr(switches, name)() for name in names] == before
    with pytest.raises((AssertionError, RuntimeError, TypeError)), attention.sdpa_kernel("math"):
        pass


@pytest.mark.cpu("switches are no tensors")
def test_switches_by_themselves(lib: Any) -> None:
    """Each kernel is allowed and forbidden by a function."""
    switches = lib.backends.cuda
    for name in ("flash", "mem_efficient", "math", "cudnn"):
        enable, enabled = getattr(switches, f"enable_{name}_sdp"), getattr(switches, f"{name}_sdp_enabled")
        enable(False)
        assert not enabled()
        enable(True)
        assert enabled()


@pytest.mark.cpu("switches are no tensors")
@pytest.mark.parametrize(("module", "name"), [("mkldnn", "enabled"), ("nnpack", "enabled"), ("miopen", "immediate")])
def test_blocks_of_switches(module: str, name: str) -> None:
    """`flags` sets a library's switch for a block."""
    index = getattr(sg.backends, module)
    before = getattr(index, name)
    with index.flags(not before):
        assert getattr(index, name) is not before
    assert getattr(index, name) is before


@pytest.mark.cpu("switches are no tensors")
def test_libraries_that_are_not_used() -> None:
    """Libraries that only PyTorch uses are not available."""
    for name in ("mkl", "mkldnn", "openmp", "nnpack", "kleidiai", "cusparselt", "opt_einsum"):
        assert not getattr(sg.backends, name).is_available(), name
    assert sg.backends.quantized.supported_engines == ["none"]
    assert sg.backends.cuda.preferred_linalg_library("magma") == "cusolver"
    with pytest.raises(RuntimeError, match="Choose from"):
        sg.backends.cuda.preferred_blas_library("mkl")
    with sg.backends.mkldnn.flags(enabled=False):
        assert sg.backends.mkldnn.enabled is False
    with pytest.raises(TypeError, match="unexpected"), sg.backends.mkldnn.flags(speed=1):
        pass
