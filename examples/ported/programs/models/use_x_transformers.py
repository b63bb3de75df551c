"""x-transformers: a decoder with rotary places, GLU and RMS norms; an encoder and decoder."""

import torch
from fixed import filled, trained
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper, XTransformer

tokens = torch.arange(48).reshape(2, 24) % 40
model = filled(
    AutoregressiveWrapper(
        TransformerWrapper(
            num_tokens=40,
            max_seq_len=24,
            attn_layers=Decoder(
                dim=16, depth=2, heads=2, attn_dim_head=8, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True
            ),
        )
    )
)
trained(model, lambda: model(tokens), steps=3)
both = filled(
    XTransformer(
        dim=16,
        enc_num_tokens=40,
        enc_depth=1,
        enc_heads=2,
        enc_max_seq_len=24,
        dec_num_tokens=40,
        dec_depth=1,
        dec_heads=2,
        dec_max_seq_len=24,
    )
)
trained(both, lambda: both(tokens, tokens), steps=3)
