"""torchinfo: the summary of a network."""

from fixed import show
from torch import nn
from torchinfo import summary

model = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2)
)
found = summary(model, input_size=(2, 3, 16, 16), verbose=0)
show("summary", [found.total_params, found.trainable_params, found.total_mult_adds, found.total_output_bytes])
