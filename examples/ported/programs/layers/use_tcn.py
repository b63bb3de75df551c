"""pytorch-tcn: convolutions over time, and the same computed step by step."""

from fixed import filled, numbers, show, trained
from pytorch_tcn import TCN

model = filled(TCN(num_inputs=3, num_channels=[8, 8], kernel_size=3, dropout=0.0, use_norm="layer_norm"))
x = numbers(2, 3, 12)
trained(model, lambda: model(x).pow(2).mean(), steps=3)
show("values", model.eval()(x))
