"""pytorch-metric-learning: losses and miners over embeddings."""

import torch
from fixed import filled, numbers, show, trained
from pytorch_metric_learning import losses, miners
from torch import nn

model, x, y = filled(nn.Linear(6, 4)), numbers(12, 6), torch.arange(12) % 3
for name in ("TripletMarginLoss", "ContrastiveLoss", "NTXentLoss", "MultiSimilarityLoss", "CircleLoss", "SupConLoss"):
    loss = getattr(losses, name)()
    print(name)
    trained(model, lambda: loss(model(x), y), steps=2)
pairs = miners.MultiSimilarityMiner()(model(x), y)
show("mined", [len(part) for part in pairs])
