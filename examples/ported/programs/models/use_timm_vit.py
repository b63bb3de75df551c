"""timm: vit_tiny_patch16_224 from its definition, two steps of training, and its features."""

import timm
import torch
from fixed import filled, numbers, show, trained
from torch import nn

model = filled(timm.create_model("vit_tiny_patch16_224", pretrained=False, num_classes=4, img_size=64))
x = numbers(4, 3, 64, 64)
show("logits", model.eval()(x))
show("features", model.forward_features(x))
trained(model.train(), lambda: nn.functional.cross_entropy(model(x), torch.arange(4)), steps=2, lr=0.001)
