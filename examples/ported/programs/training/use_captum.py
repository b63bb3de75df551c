"""captum: attributions of a network's output by several methods."""

from captum.attr import (
    DeepLift,
    FeatureAblation,
    GuidedBackprop,
    InputXGradient,
    IntegratedGradients,
    LayerConductance,
    LayerGradCam,
    Occlusion,
    Saliency,
)
from fixed import filled, numbers, show
from torch import nn

model = filled(nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))).eval()
x = numbers(2, 1, 6, 6).requires_grad_()
for method in (IntegratedGradients, Saliency, InputXGradient, DeepLift, GuidedBackprop, FeatureAblation):
    show(method.__name__, method(model).attribute(x, target=1))
show("Occlusion", Occlusion(model).attribute(x, target=1, sliding_window_shapes=(1, 3, 3)))
show("LayerConductance", LayerConductance(model, model[0]).attribute(x, target=1))
show("LayerGradCam", LayerGradCam(model, model[0]).attribute(x, target=1))
