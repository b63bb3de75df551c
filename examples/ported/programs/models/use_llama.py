"""transformers: a small Llama, a small T5 and a small ViT from their configurations."""

import torch
from fixed import filled, numbers, show, trained
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
)

tokens = torch.arange(32).reshape(2, 16) % 60
llama = filled(
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=60,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=32,
        )
    )
)
trained(llama, lambda: llama(input_ids=tokens, labels=tokens).loss, steps=3)
t5 = filled(
    T5ForConditionalGeneration(
        T5Config(
            vocab_size=60,
            d_model=16,
            d_kv=8,
            d_ff=32,
            num_layers=2,
            num_heads=2,
            dropout_rate=0.0,
            decoder_start_token_id=0,
        )
    )
)
trained(t5, lambda: t5(input_ids=tokens, labels=tokens).loss, steps=3)
vit = filled(
    ViTForImageClassification(
        ViTConfig(
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            image_size=16,
            patch_size=4,
        )
    )
)
show("vit", vit.eval()(pixel_values=numbers(2, 3, 16, 16)).logits)
