"""peft: a small GPT-2 with LoRA, IA3 and learned prompts."""

import torch
from fixed import filled, show
from peft import IA3Config, LoraConfig, PromptTuningConfig, TaskType, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

TASK = {"task_type": TaskType.CAUSAL_LM}
WHERE = {"target_modules": ["c_attn"], "fan_in_fan_out": True}
CONFIGS = [
    LoraConfig(r=4, lora_alpha=8, **TASK, **WHERE),
    LoraConfig(r=4, use_dora=True, **TASK, **WHERE),
    IA3Config(feedforward_modules=[], **TASK, **WHERE),
    PromptTuningConfig(num_virtual_tokens=3, **TASK),
]
ids = torch.arange(10)[None]
for config in CONFIGS:
    sizes = {"vocab_size": 50, "n_positions": 16, "n_embd": 16, "n_layer": 2, "n_head": 2}
    base = GPT2LMHeadModel(GPT2Config(**sizes, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))
    model = filled(get_peft_model(base, config))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    for _ in range(3):
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        show(type(config).__name__, loss)
    if isinstance(config, LoraConfig):
        show("merged", model.merge_and_unload()(ids).logits)
