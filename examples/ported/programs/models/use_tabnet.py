"""pytorch-tabnet: its network on a table."""

import torch
from fixed import filled, numbers, trained
from pytorch_tabnet.tab_network import TabNet
from torch import nn

model = filled(
    TabNet(
        input_dim=6, output_dim=3, n_d=4, n_a=4, n_steps=2, virtual_batch_size=8, group_attention_matrix=torch.eye(6)
    )
)
x, y = numbers(16, 6), torch.arange(16) % 3
trained(model, lambda: nn.functional.cross_entropy(model(x)[0], y), steps=3)
