"""torchvision: models of classification from their definitions, and transforms of tensors."""

import torch
import torchvision.transforms.v2.functional as T
from fixed import filled, numbers, show, trained
from torch import nn
from torchvision import models

x = numbers(2, 3, 48, 48)
for name in ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5", "squeezenet1_1", "regnet_y_400mf"):
    model = filled(getattr(models, name)(num_classes=4)).eval()
    show(name, model(x))
    trained(model, lambda: nn.functional.cross_entropy(model(x), torch.tensor([0, 3])), steps=2, lr=0.0001)
show("resized", T.resize(x, [20, 24], antialias=True))
show("rotated", T.rotate(x, 30.0))
show("normalized", T.normalize(T.hflip(x), [0.1, 0.2, 0.3], [0.5, 0.6, 0.7]))
