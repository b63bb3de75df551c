"""transformers: a small BERT from its configuration, for masked words and for classes."""

import torch
from fixed import filled, show, trained
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

config = BertConfig(
    vocab_size=60,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
tokens, mask = torch.arange(32).reshape(2, 16) % 60, torch.ones(2, 16, dtype=torch.long)
mask[1, 10:] = 0
model = filled(BertForMaskedLM(config))
trained(model, lambda: model(input_ids=tokens, attention_mask=mask, labels=tokens).loss, steps=3)
other = filled(BertForSequenceClassification(config))
show("logits", other.eval()(input_ids=tokens, attention_mask=mask).logits)
