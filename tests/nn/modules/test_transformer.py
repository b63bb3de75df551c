"""Transformer layers and stacks: against PyTorch, and what does not depend on it."""

import copy
import math
from typing import Any

import numpy as np
import pytest

from .against_torch import same_as_torch

# PyTorch says when it could compute faster.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")

RNG = np.random.default_rng(0)
LATER = np.triu(np.full((5, 5), -np.inf), 1)
PADDED, MEMORY_PADDED = (np.arange(n) >= np.array([[n], [4], [2]]) for n in (5, 7))
KINDS = [
    {},
    {"norm_first": True, "activation": "gelu"},
    {"bias": False, "batch_first": True},
]


def data(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def inputs(kind: dict[str, Any]) -> list[np.ndarray]:
    """Targets and a memory for three items."""
    found = [data(5, 3, 8), data(7, 3, 8)]
    return [x.swapaxes(0, 1) for x in found] if kind.get("batch_first") else found


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    "call",
    [{}, {"src_mask": LATER, "is_causal": True}, {"src_mask": LATER < 0, "src_key_padding_mask": PADDED}],
    ids=lambda call: " ".join(call) or "plain",
)
def test_encoder_layer(kind: dict[str, Any], call: dict[str, Any]) -> None:
    """Outputs and gradients of an encoder layer are PyTorch's."""
    same_as_torch(lambda lib: lib.nn.TransformerEncoderLayer(8, 2, 16, 0.0, **kind), inputs(kind)[:1], **call)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    "call",
    [
        {"tgt_mask": LATER, "tgt_is_causal": True},
        {"tgt_key_padding_mask": PADDED, "memory_key_padding_mask": MEMORY_PADDED},
        {"memory_mask": data(5, 7)},
    ],
    ids=" ".join,
)
def test_decoder_layer(kind: dict[str, Any], call: dict[str, Any]) -> None:
    """Outputs and gradients of a decoder layer are PyTorch's."""
    same_as_torch(lambda lib: lib.nn.TransformerDecoderLayer(8, 2, 16, 0.0, **kind), inputs(kind), **call)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_stacks(kind: dict[str, Any]) -> None:
    """Stacks of layers, and both together."""

    def encoder(lib: Any) -> Any:
        return lib.nn.TransformerEncoder(lib.nn.TransformerEncoderLayer(8, 2, 16, 0.0, **kind), 2, lib.nn.LayerNorm(8))

    def decoder(lib: Any) -> Any:
        return lib.nn.TransformerDecoder(lib.nn.TransformerDecoderLayer(8, 2, 16, 0.0, **kind), 2)

    target, memory = inputs(kind)
    same_as_torch(encoder, [target], mask=LATER)
    same_as_torch(decoder, [target, memory], tgt_mask=LATER)
    same_as_torch(
        lambda lib: lib.nn.Transformer(8, 2, 1, 2, 16, 0.0, **kind),
        [memory, target],
        tgt_mask=LATER,
        src_key_padding_mask=MEMORY_PADDED,
        memory_key_padding_mask=MEMORY_PADDED,
    )


def test_parameters(lib: Any) -> None:
    """Names are PyTorch's, layers of a stack are copies, and weights of a Transformer start by xavier_uniform_."""
    model = lib.nn.Transformer(8, 2, 1, 1, 16)
    names = list(model.state_dict())
    assert names[:4] == [
        f"encoder.layers.0.self_attn.{name}"
        for name in ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
    ]
    assert names[-1] == "decoder.norm.bias"
    assert len(names) == 34
    assert float(model.encoder.layers[0].linear1.weight.detach().abs().max()) <= math.sqrt(6 / 24)
    stack = lib.nn.TransformerEncoder(model.encoder.layers[0], 2)
    first, second = (layer.linear1.weight for layer in stack.layers)
    assert first is not second
    assert (first == second).all()


def test_causal_masks_are_found(lib: Any) -> None:
    """A mask that hides what comes later is used as that; an output does not depend on later inputs."""
    mask = lib.nn.Transformer.generate_square_subsequent_mask(5)
    assert mask.tolist() == LATER.tolist()
    layer = lib.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    stack, x = lib.nn.TransformerEncoder(layer, 2), lib.randn(5, 3, 8)
    found = stack(x, mask)
    assert lib.allclose(found, stack(x, mask, is_causal=True), atol=1e-5)
    changed = x.clone()
    changed[3:] += 1
    assert lib.allclose(stack(changed, mask)[:3], found[:3], atol=1e-5)
    assert not lib.allclose(stack(changed)[:3], stack(x)[:3], atol=1e-2)


def test_dropout_is_for_training(lib: Any) -> None:
    """In evaluation a model gives one output, in training it does not; a copy is like the original."""
    model = lib.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5)
    x = lib.randn(5, 3, 8)
    assert not lib.equal(model(x), model(x))
    model.eval()
    assert lib.equal(model(x), copy.deepcopy(model)(x))


def test_masks_of_two_kinds(lib: Any) -> None:
    """Masks of different dtypes are taken with a warning."""
    layer, x = lib.nn.TransformerEncoderLayer(8, 2, 16), lib.randn(5, 3, 8)
    with pytest.warns(UserWarning, match="Support for mismatched src_key_padding_mask and src_mask is deprecated"):
        layer(x, lib.zeros(5, 5), lib.zeros(3, 5).bool())


ERRORS = {
    "nn.TransformerEncoderLayer(8, 2, activation='x')": (RuntimeError, "activation should be relu/gelu, not x"),
    "nn.TransformerEncoderLayer(8, 3)": (AssertionError, "embed_dim must be divisible by num_heads"),
    "nn.TransformerEncoderLayer(8, 2)(z(4, 3, 7))": (AssertionError, "embedding dimension of 8, but got 7"),
    "nn.TransformerEncoderLayer(8, 2)(z(4, 3, 8), z(4, 4).long())": (AssertionError, "floating types of src_mask are"),
    "nn.Transformer(8, 2, 1, 1, 16)(z(4, 3, 8), z(5, 2, 8))": (RuntimeError, "the batch number of src and tgt must be"),
    "nn.Transformer(8, 2, 1, 1, 16)(z(4, 3, 7), z(5, 3, 8))": (RuntimeError, "the feature number of src and tgt must"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(lib: Any, text: str) -> None:
    """Mistakes are PyTorch's errors."""
    error, message = ERRORS[text]
    with pytest.raises(error, match=message):
        eval(text, {"nn": lib.nn, "z": lib.zeros})
