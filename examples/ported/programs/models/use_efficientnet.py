"""efficientnet-pytorch: EfficientNet-B0 from its definition."""

from efficientnet_pytorch import EfficientNet
from fixed import filled, numbers, show

model = filled(EfficientNet.from_name("efficientnet-b0", num_classes=4)).eval()
show("logits", model(numbers(2, 3, 64, 64)))
