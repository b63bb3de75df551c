"""transformers: a small GPT-2 from its configuration, trained, and text generated greedily."""

import torch
from fixed import filled, show, trained
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(
    vocab_size=60,
    n_positions=32,
    n_embd=16,
    n_layer=2,
    n_head=2,
    resid_pdrop=0.0,
    embd_pdrop=0.0,
    attn_pdrop=0.0,
    bos_token_id=1,
    eos_token_id=2,
)
tokens = torch.arange(32).reshape(2, 16) % 60
model = filled(GPT2LMHeadModel(config))
trained(model, lambda: model(input_ids=tokens, labels=tokens).loss, steps=3)
generated = model.eval().generate(tokens[:, :4], max_new_tokens=6, do_sample=False, pad_token_id=0)
show("generated", generated.reshape(-1).tolist())
