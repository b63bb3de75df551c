"""segmentation-models-pytorch: a U-Net and an FPN with a residual encoder, trained with its losses."""

import segmentation_models_pytorch as smp
from fixed import filled, numbers, trained

x, y = numbers(2, 3, 64, 64), (numbers(2, 1, 64, 64) > 0).float()
for kind in (smp.Unet, smp.FPN):
    model = filled(kind("resnet18", encoder_weights=None, classes=1)).train()
    if kind is smp.FPN:
        model.eval()
    for loss in (smp.losses.DiceLoss("binary"), smp.losses.FocalLoss("binary")):
        trained(model, lambda: loss(model(x), y), steps=2, lr=0.001)
