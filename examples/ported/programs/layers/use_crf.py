"""pytorch-crf: the likelihood of tags with its gradient, and the best tags."""

import torch
from fixed import numbers, show, trained
from torchcrf import CRF

crf = CRF(4, batch_first=True)
with torch.no_grad():
    for p in crf.parameters():
        p.copy_(numbers(*p.shape, scale=0.1))
scores, tags, mask = numbers(3, 6, 4), torch.arange(18).reshape(3, 6) % 4, torch.ones(3, 6, dtype=torch.bool)
mask[1, 4:] = False
show("best", [tag for row in crf.decode(scores, mask) for tag in row])
trained(crf, lambda: -crf(scores, tags, mask), steps=3)
