"""monai: networks, losses and metrics for volumes."""

from fixed import filled, numbers, show, trained
from monai.losses import DiceCELoss, DiceLoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet

x, y = numbers(1, 1, 16, 16, 16), (numbers(1, 1, 16, 16, 16) > 0).float()
model = filled(
    UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2), num_res_units=1)
)
trained(model, lambda: DiceCELoss(to_onehot_y=True, softmax=True)(model(x), y), steps=2)
show("dice", DiceLoss(sigmoid=True)(x, y))
show("metric", DiceMetric()(y_pred=(x > 0.1).float(), y=y))
