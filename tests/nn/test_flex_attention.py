"""Attention with scores and masks that are functions: against NumPy in float64, differences, and PyTorch."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    or_masks,
)

SLOPES = sg.tensor([0.5, 0.25, 0.125, 0.0625], dtype=sg.float64)


def causal(b: Any, h: Any, q: Any, kv: Any) -> Any:
    return q >= kv


def small(b: Any, h: Any, q: Any, kv: Any) -> Any:
    return (q - kv).abs() < 3


def alibi(score: Any, b: Any, h: Any, q: Any, kv: Any) -> Any:
    return score + SLOPES[h] * (kv - q)


def sampled(*shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(5)
    return [sg.from_numpy(rng.standard_normal(shape)) for shape in shapes]


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
    """softmax(q k^T / sqrt(E) + bias) v over what is not masked, and the logarithms of the sums."""
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + bias, -np.inf)
    with np.errstate(divide="ignore"):
        exponentials = np.exp(scores)
        sums = exponentials.sum(-1, keepdims=True)
        weights = np.divide(exponentials, sums, out=np.zeros_like(exponentials), where=sums > 0)
        return weights @ v, np.log(sums[..., 0])


def distances(n: int, m: int) -> np.ndarray:
    return np.arange(m) - np.arange(n)[:, None]


@pytest.mark.cpu("a simulated device takes long for as many numbers")
def test_scores_and_masks() -> None:
    """A bias for each head, a causal mask in blocks, and both."""
    q, k, v = sampled((2, 4, 10, 8), (2, 4, 13, 8), (2, 4, 13, 6))
    steps = distances(10, 13)
    bias = SLOPES.numpy()[:, None, None] * steps
    blocks = create_block_mask(causal, None, None, 10, 13, BLOCK_SIZE=4)
    for score_mod, mask, added, retained in (
        (None, None, 0, True),
        (alibi, None, bias, True),
        (None, blocks, 0, steps <= 0),
        (alibi, blocks, bias, steps <= 0),
    ):
        found, sums = flex_attention(q, k, v, score_mod, mask, return_lse=True)
        right, logs = reference(q.numpy(), k.numpy(), v.numpy(), added, retained)
        assert np.allclose(found.numpy(), right) and np.allclose(sums.numpy(), logs)


def test_heads_that_share_keys() -> None:
    """Several heads of the query look at one of the keys; half precision is computed in float32."""
    q, k, v = sampled((2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8))
    shared = [np.repeat(t.numpy(), 2, 1) for t in (k, v)]
    found = flex_attention(q, k, v, enable_gqa=True, scale=0.5)
    assert np.allclose(found.numpy(), reference(q.numpy() * 0.5 * np.sqrt(8), *shared, 0, True)[0])
    half = flex_attention(q.half(), k.half(), v.half(), enable_gqa=True, scale=0.5)
    assert half.dtype is sg.float16 and np.allclose(half.numpy(), found.numpy(), atol=5e-3)
    with pytest.raises(ValueError, match="Try setting enable_gqa=True"):
        flex_attention(q, k, v)


def test_queries_without_keys() -> None:
    """Where everything is masked there are zeros, and gradients are finite."""
    q, k, v = sampled((1, 1, 6, 4), (1, 1, 6, 4), (1, 1, 6, 4))
    q.requires_grad_()
    late = create_block_mask(lambda b, h, q, kv: (q > 2) & (kv > 2), None, None, 6, 6, BLOCK_SIZE=2)
    found, aux = flex_attention(q, k, v, block_mask=late, return_aux=AuxRequest(lse=True, max_scores=True))
    assert found[0, 0, :3].abs().max().item() == 0 and aux.lse[0, 0, 0].item() == float("-inf")
    assert aux.max_scores.shape == (1, 1, 6)
    found.sum().backward()
    assert q.grad.isfinite().all() and q.grad[0, 0, :3].abs().max().item() == 0


@pytest.mark.cpu("a simulated device takes long for as many calls")
def test_gradients() -> None:
    """Gradients are those of differences, through the scores' function and what it reads as well."""
    q, k, v = (t.requires_grad_() for t in sampled((1, 2, 3, 2), (1, 2, 4, 2), (1, 2, 4, 2)))
    weight = sg.tensor([0.3, -0.2], dtype=sg.float64, requires_grad=True)

    def attended(q: Any, k: Any, v: Any, weight: Any) -> Any:
        blocks = create_block_mask(small, None, None, 3, 4, BLOCK_SIZE=2)
        return flex_attention(q, k, v, lambda s, b, h, i, j: s * s * weight[h], blocks)

    assert sg.autograd.gradcheck(attended, (q, k, v, weight))


def test_masks() -> None:
    """Masks are joined, and made dense as a loop over all places would."""
    both, either = and_masks(causal, small), or_masks(causal, small)
    steps = distances(6, 7)
    assert (create_mask(both, 2, 3, 6, 7).numpy() == ((steps <= 0) & (abs(steps) < 3))).all()
    assert (create_mask(either, None, None, 6, 7).numpy() == ((steps <= 0) | (abs(steps) < 3))).all()
    assert create_mask(both, 2, 3, 6, 7).shape == (2, 3, 6, 7)
    assert (create_mask(lambda s, b, h, q, kv: s + kv - q, None, None, 6, 7)[0, 0].numpy() == steps).all()
    with pytest.raises(RuntimeError, match="All inputs should be callable"):
        and_masks(causal, 1)  # type: ignore[arg-type]


def test_blocks() -> None:
    """Blocks are let through, masked in part or left out; the lists of rows are those of columns turned."""
    mask = create_block_mask(causal, 2, None, 300, 260)
    assert mask.shape == (2, 1, 300, 260) and mask.numel() == 2 * 300 * 260
    assert mask.to_dense()[1, 0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert mask.kv_num_blocks[0, 0].tolist() == [1, 1, 3] and mask.full_kv_num_blocks[0, 0].tolist() == [0, 1, 0]
    assert mask.q_num_blocks[0, 0].tolist() == [2, 2, 1] and mask.q_indices[0, 0, 0].tolist() == [0, 2, 1]
    assert mask.sparsity() == pytest.approx(-26.0307692)
    assert mask[1].shape == (1, 1, 300, 260) and mask.to("cpu").seq_lengths == (300, 260)
    assert (mask.visible().numpy() == (distances(300, 260) <= 0)).all()
    cropped = mask._adjust(130, 130)
    assert cropped.shape == (2, 1, 130, 130) and (cropped.visible().numpy() == (distances(130, 130) <= 0)).all()
    assert "mask_mod=causal" in repr(mask) and "██" in str(mask)
    again = BlockMask.from_kv_blocks(mask.kv_num_blocks, mask.kv_indices, BLOCK_SIZE=128)
    assert again.shape == (2, 1, 384, 384) and again.full_kv_indices is None
    assert again.visible().sum().item() == 2 * 5 * 128 * 128


def test_what_does_not_fit() -> None:
    """Sizes and masks that do not fit are refused as in PyTorch."""
    q, k, v = sampled((1, 2, 4, 8), (1, 2, 4, 8), (1, 2, 4, 8))
    with pytest.raises(NotImplementedError, match="must be 4D"):
        flex_attention(q[0], k, v)
    with pytest.raises(ValueError, match=r"block_mask was created for block_mask.shape=\(1, 1, 5, 4\)"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 5, 4))
    with pytest.raises(ValueError, match="same embedding dimension"):
        flex_attention(q[..., :3], k, v)
    with pytest.raises(TypeError, match="four arguments"):
        create_block_mask(alibi, None, None, 4, 4)


@pytest.mark.cpu("PyTorch's is compared with the CPU")
@pytest.mark.filterwarnings("ignore")
def test_beside_pytorch() -> None:
    """Outputs, sums and lists of blocks are PyTorch's."""
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torch.nn.attention.flex_attention")
    tensors = sampled((2, 4, 20, 8), (2, 2, 24, 8), (2, 2, 24, 6))
    given = [torch.from_numpy(t.numpy()) for t in tensors]
    ours = create_block_mask(small, None, None, 20, 24, BLOCK_SIZE=8)
    other = theirs.create_block_mask(small, None, None, 20, 24, device="cpu", BLOCK_SIZE=8)
    for name in ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices"):
        assert getattr(ours, name).tolist() == getattr(other, name).tolist(), name

    def score_mod(score: Any, b: Any, h: Any, q: Any, kv: Any) -> Any:
        return score * (1 + h) - (q - kv).abs()

    for options in ({}, {"score_mod": score_mod}):
        found, sums = flex_attention(*tensors, block_mask=ours, enable_gqa=True, return_lse=True, **options)
        requested = theirs.AuxRequest(lse=True)
        right, aux = theirs.flex_attention(*given, block_mask=other, enable_gqa=True, return_aux=requested, **options)
        assert np.allclose(found.numpy(), right.numpy()) and np.allclose(sums.numpy(), aux.lse.numpy())
