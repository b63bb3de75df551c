"""scaled_dot_product_attention and MultiheadAttention: masks, heads, forms, dropout, errors."""

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

from .against_torch import same_as_torch

RNG = np.random.default_rng(0)


def data(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def reference(q: Any, k: Any, v: Any, mask: Any = True, scale: float | None = None) -> np.ndarray:
    """softmax(scale Q K^T) V over the keys where the mask is true; zeros where it is nowhere."""
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    weights = np.exp(scores - scores.max(-1, keepdims=True)) * mask
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


@pytest.mark.parametrize("front", [(), (3,), (2, 3), (2, 2, 3)], ids=str)
def test_masks(lib: Any, front: tuple[int, ...]) -> None:
    """bool masks leave keys out, numbers are added, is_causal looks at no later key; for any number of dimensions."""
    attend = lib.nn.functional.scaled_dot_product_attention
    q, k, v = data(*front, 5, 4), data(*front, 7, 4), data(*front, 7, 6)
    given = [lib.from_numpy(t) for t in (q, k, v)]
    np.testing.assert_allclose(attend(*given), reference(q, k, v), rtol=1e-10)
    np.testing.assert_allclose(attend(*given, scale=2.0), reference(q, k, v, scale=2.0), rtol=1e-10)
    np.testing.assert_allclose(attend(*given, is_causal=True), reference(q, k, v, np.tri(5, 7)), rtol=1e-10)
    for shape in ((5, 7), (1, 7), (*front, 5, 7)):
        mask = RNG.random(shape) < 0.6
        found = attend(*given, attn_mask=lib.from_numpy(mask))
        np.testing.assert_allclose(found, reference(q, k, v, mask), rtol=1e-10, atol=1e-12)
        number = RNG.standard_normal(shape)
        found = attend(*given, attn_mask=lib.from_numpy(number))
        np.testing.assert_allclose(found, reference(q, k, v, np.exp(number)), rtol=1e-9)


def test_a_query_that_may_look_at_nothing(lib: Any) -> None:
    """Its output is zero, and so are its gradients."""
    attend = lib.nn.functional.scaled_dot_product_attention
    q, k = lib.ones(1, 2, 3, 4, requires_grad=True), lib.ones(1, 2, 5, 4)
    mask = lib.tensor([[True], [False], [True]])
    found = attend(q, k, k, mask)
    assert (found[..., 1, :] == 0).all()
    assert (found[..., 0, :] == 1).all()
    found.sum().backward()
    assert (q.grad[..., 1, :] == 0).all()
    assert (attend(q, k, k, lib.full((3, 5), -math.inf)) == 0).all()


def test_grouped_heads(lib: Any) -> None:
    """With enable_gqa each head of keys serves several heads of queries."""
    attend = lib.nn.functional.scaled_dot_product_attention
    q, k, v = (lib.from_numpy(data(2, heads, 5, 4)) for heads in (6, 2, 2))
    repeated = [t.repeat_interleave(3, 1) if lib is not sg else repeat_heads(t, 3) for t in (k, v)]
    assert lib.allclose(attend(q, k, v, enable_gqa=True), attend(q, *repeated))


def repeat_heads(t: Any, times: int) -> Any:
    return t.unsqueeze(2).expand(t.shape[0], t.shape[1], times, *t.shape[2:]).flatten(1, 2)


@pytest.mark.parametrize("causal", [False, True])
def test_many_queries_and_keys(causal: bool) -> None:
    """Blocks of queries, and keys that are no multiple of anything: values and gradients."""
    q, k, v = data(1, 2, 203, 17), data(1, 2, 301, 17), data(1, 2, 301, 9)
    given = [sg.tensor(t, requires_grad=True) for t in (q, k, v)]
    mask = np.tri(203, 301) if causal else True
    found = nn.functional.scaled_dot_product_attention(*given, is_causal=causal)
    np.testing.assert_allclose(found.detach(), reference(q, k, v, mask), rtol=1e-9)
    weights = sg.from_numpy(data(1, 2, 203, 9))
    gradients = sg.autograd.grad((found * weights).sum(), given)
    again = [sg.tensor(t, requires_grad=True) for t in (q, k, v)]
    scores = again[0] @ again[1].transpose(2, 3) / math.sqrt(17)
    if causal:
        scores = scores.masked_fill(sg.from_numpy(mask == 0), -math.inf)
    requested = sg.autograd.grad((scores.softmax(-1) @ again[2] * weights).sum(), again)
    for one, other in zip(gradients, requested, strict=True):
        assert sg.allclose(one, other, rtol=1e-9, atol=1e-12)


def test_operands_that_lie_apart() -> None:
    """Transposed, expanded and strided operands, and gradients of such, give what contiguous ones give."""
    rows = sg.from_numpy(data(2, 5, 3, 3, 8))
    q, k, v = (t.transpose(1, 2) for t in rows.unbind(2))
    attend = nn.functional.scaled_dot_product_attention
    expected = attend(q.contiguous(), k.contiguous(), v.contiguous())
    assert sg.equal(attend(q, k, v), expected)
    wide = [t.repeat(1, 1, 1, 2).unflatten(-1, (2, 8)).transpose(-1, -2)[..., 0] for t in (q, k, v)]
    assert sg.equal(attend(*wide), expected)
    shared = q[:1].contiguous().requires_grad_()
    attend(shared.expand(2, 3, 5, 8), k, v).sum().backward()
    single = q[:1].repeat(2, 1, 1, 1).requires_grad_()
    attend(single, k, v).sum().backward()
    assert sg.allclose(shared.grad, single.grad.sum(0, keepdim=True))


def test_dropout(lib: Any) -> None:
    """A weight is dropped with probability p, else divided by 1 - p, also in the gradients."""
    attend = lib.nn.functional.scaled_dot_product_attention
    q, k, v = lib.zeros(1, 1, 200, 4), lib.zeros(1, 1, 100, 4), lib.eye(100).reshape(1, 1, 100, 100).requires_grad_()
    weights = attend(q, k, v, dropout_p=0.25)
    retained = weights.detach() != 0
    assert abs(float(retained.double().mean()) - 0.75) < 0.02
    assert lib.allclose(weights[retained], lib.full((int(retained.sum()),), 0.01 / 0.75))
    weights.sum().backward()
    assert lib.allclose(v.grad[0, 0, :, 0], weights.detach()[0, 0].sum(0), atol=1e-5)
    assert (attend(q, k, v, dropout_p=1.0) == 0).all()


def test_second_derivatives_and_mask_gradients() -> None:
    """The gradient of a mask of numbers, and gradients of gradients, are slopes."""
    attend = nn.functional.scaled_dot_product_attention
    q, k, v = (sg.from_numpy(data(1, 2, 3, 2)).requires_grad_() for _ in range(3))
    mask = sg.from_numpy(data(2, 3, 3)).requires_grad_()
    assert sg.autograd.gradcheck(attend, (q, k, v, mask))
    assert sg.autograd.gradgradcheck(lambda q, k, v: attend(q, k, v, is_causal=True), (q, k, v))


@pytest.mark.parametrize("kind", [sg.float16, sg.bfloat16], ids=str)
def test_gradients_in_16_bits(kind: Any) -> None:
    """They have the digits of the dtype also where scores are large: logarithms of their sums are kept in float32."""
    given = [sg.from_numpy(data(2, 2, 6, 4)).to(kind) for _ in range(4)]
    derivatives = []
    for computed in (kind, sg.float64):
        q, k, v, above = (t.detach().to(computed).requires_grad_() for t in given)
        out = nn.functional.scaled_dot_product_attention(q, k, v, scale=12.0)
        derivatives.append([t.detach().to(sg.float64).numpy() for t in sg.autograd.grad(out, (q, k, v), above)])
    for found, requested in zip(*derivatives, strict=True):
        np.testing.assert_allclose(found, requested, rtol=0, atol=4 * sg.finfo(kind).eps * abs(requested).max())


def test_batches_of_attention() -> None:
    """vmap over examples that share keys and values, and over masks."""
    attend = nn.functional.scaled_dot_product_attention
    q, k, v = sg.from_numpy(data(4, 2, 3, 5, 2)), sg.from_numpy(data(2, 3, 5, 2)), sg.from_numpy(data(2, 3, 5, 2))
    found = sg.vmap(lambda q: attend(q, k, v))(q)
    assert sg.allclose(found, sg.stack([attend(one, k, v) for one in q]))
    masks = sg.from_numpy(RNG.random((4, 5, 5)) < 0.7)
    found = sg.vmap(lambda mask: attend(q[0], k, v, mask))(masks)
    assert sg.allclose(found, sg.stack([attend(q[0], k, v, mask) for mask in masks]))


OPTIONS: list[dict[str, Any]] = [
    {},
    {"bias": False},
    {"add_bias_kv": True, "add_zero_attn": True},
    {"kdim": 3, "vdim": 6},
    {"batch_first": True},
]
CALLS: list[dict[str, Any]] = [
    {},
    {"need_weights": False},
    {"average_attn_weights": False, "attn_mask": np.triu(np.ones((5, 7)), 3) > 0},
    {"attn_mask": data(6, 5, 7), "need_weights": False},
    {"key_padding_mask": np.arange(7) >= np.array([[7], [4], [2]]), "need_weights": False},
    {"key_padding_mask": data(3, 7), "attn_mask": data(5, 7)},
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(call) or "plain")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_multihead_attention_as_pytorch(options: dict[str, Any], call: dict[str, Any]) -> None:
    """Outputs, weights and all gradients are PyTorch's."""
    widths = 8, options.get("kdim", 8), options.get("vdim", 8)
    inputs = [data(rows, 3, width) for rows, width in zip((5, 7, 7), widths, strict=True)]
    if options.get("batch_first"):
        inputs = [x.swapaxes(0, 1) for x in inputs]
    same_as_torch(lambda lib: lib.nn.MultiheadAttention(8, 2, **options), inputs, **call)


@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"bias": False, "batch_first": True}], ids=str)
def test_inputs_that_are_the_same(lib: Any, options: dict[str, Any]) -> None:
    """One product for several inputs that are one tensor: the numbers are those of equal inputs."""
    layer = lib.nn.MultiheadAttention(8, 2, **options).double()
    x, y = (lib.from_numpy(data(5, 3, 8)).requires_grad_() for _ in range(2))
    for inputs, copies in (((x, x, x), (x, x.clone(), x.clone())), ((x, y, y), (x, y, y.clone()))):
        found, weights = layer(*inputs)
        expected, other = layer(*copies)
        assert lib.allclose(found, expected)
        assert lib.allclose(weights, other)
        gradients = [lib.autograd.grad(o.square().sum(), layer.in_proj_weight)[0] for o in (found, expected)]
        assert lib.allclose(*gradients)


def test_parameters_and_one_item(lib: Any) -> None:
    """Names and initial values are PyTorch's; an item without a batch is a batch of one."""
    layer = lib.nn.MultiheadAttention(8, 2, add_bias_kv=True)
    assert list(layer.state_dict()) == [
        *("in_proj_weight", "in_proj_bias", "bias_k", "bias_v", "out_proj.weight", "out_proj.bias")
    ]
    names = list(lib.nn.MultiheadAttention(8, 2, kdim=3).state_dict())
    assert names[:4] == ["q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias"]
    assert float(layer.in_proj_weight.detach().abs().max()) <= math.sqrt(6 / 32)
    assert (layer.in_proj_bias == 0).all()
    assert (layer.out_proj.bias == 0).all()
    assert "NonDynamicallyQuantizableLinear(in_features=8" in repr(layer)
    x, y = lib.randn(5, 8), lib.randn(7, 8)
    found, weights = layer(x, y, y, key_padding_mask=lib.arange(7) > 4)
    batch = [t.unsqueeze(1) for t in (x, y, y)]
    expected, other = layer(*batch, key_padding_mask=(lib.arange(7) > 4).unsqueeze(0))
    assert lib.allclose(found, expected[:, 0], atol=1e-6)
    assert lib.allclose(weights, other[0], atol=1e-6)


ERRORS = {
    "attend(z(3), z(3), z(3))": (RuntimeError, "at least 2 dimensional"),
    "attend(z(2, 4, 3), z(2, 5, 3).double(), z(2, 5, 3))": (RuntimeError, "to have the same dtype"),
    "attend(z(4, 3), z(5, 3), z(5, 3), z(4, 5), is_causal=True)": (
        RuntimeError,
        "Explicit attn_mask should not be set",
    ),
    "attend(z(4, 3), z(5, 3), z(5, 3), z(4, 5).long())": (RuntimeError, "Expected attn_mask dtype to be bool or float"),
    "attend(z(4, 3), z(5, 3), z(5, 3), z(3, 5))": (RuntimeError, "must match the size of tensor"),
    "attend(z(4, 3), z(5, 3), z(5, 3), dropout_p=1.5)": (RuntimeError, "dropout probability has to be between 0 and 1"),
    "attend(z(1, 4, 4, 3), z(1, 3, 5, 3), z(1, 3, 5, 3), enable_gqa=True)": (RuntimeError, "Number of heads in key"),
    "attend(z(4, 3), z(5, 2), z(5, 3))": (RuntimeError, ""),
    "mha(8, 3)": (AssertionError, "embed_dim must be divisible by num_heads"),
    "mha(0, 3)": (ValueError, "embed_dim and num_heads must be greater than 0"),
    "mha(8, 2)(z(1, 4, 3, 8), z(5, 3, 8), z(5, 3, 8))": (AssertionError, "unbatched 2D or batched 3D tensor but"),
    "mha(8, 2)(z(4, 3, 8), z(5, 8), z(5, 8))": (AssertionError, "expected `key` and `value` to be 3-D but found 2-D"),
    "mha(8, 2)(z(4, 3, 7), z(5, 3, 7), z(5, 3, 7))": (AssertionError, "embedding dimension of 8, but got 7"),
    "mha(8, 2)(z(4, 3, 8), z(5, 3, 8), z(6, 3, 8))": (AssertionError, "does not match value shape"),
    "mha(8, 2)(z(4, 3, 8), z(5, 3, 8), z(5, 3, 8), z(3, 4).bool())": (AssertionError, "to be 5, but got 4"),
    "mha(8, 2)(z(4, 3, 8), z(5, 3, 8), z(5, 3, 8), z(3, 5).long())": (AssertionError, "only bool and floating types"),
    "mha(8, 2)(z(4, 3, 8), z(5, 3, 8), z(5, 3, 8), attn_mask=z(4, 4))": (RuntimeError, "shape of the 2D attn_mask is"),
    "mha(8, 2)(z(4, 3, 8), z(5, 3, 8), z(5, 3, 8), is_causal=True)": (RuntimeError, "Need attn_mask if specifying the"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(lib: Any, text: str) -> None:
    """Mistakes are PyTorch's errors."""
    error, message = ERRORS[text]
    names = {"attend": lib.nn.functional.scaled_dot_product_attention, "mha": lib.nn.MultiheadAttention}
    with pytest.raises(error, match=message or None):
        eval(text, {**names, "z": lib.zeros})
