"""Published modules, with only the import changed: a loss, a detector's backbone, weights set by `apply`."""

from typing import Any

import specgrad as torch
from specgrad import nn
from specgrad.autograd import Function, gradcheck
from specgrad.nn import functional as F
from specgrad.nn.modules.batchnorm import _BatchNorm

# A loss as its gradient is known in closed form: softmax(logits) - one_hot(target)


class CrossEntropyFunction(Function):
    @staticmethod
    def forward(ctx, logits, target):
        log_probs = F.log_softmax(logits, dim=1)
        ctx.save_for_backward(log_probs, target)
        return -log_probs[torch.arange(len(target)), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        log_probs, target = ctx.saved_tensors
        grad_logits = None
        if ctx.needs_input_grad[0]:
            grad_logits = log_probs.exp()
            grad_logits[torch.arange(len(target)), target] -= 1
            grad_logits = grad_logits * (grad_output / len(target))
        return grad_logits, None


def test_cross_entropy_function() -> None:
    """It is nn.functional's cross entropy, and computes nothing for logits that need no gradient."""
    logits = torch.randn(6, 4, dtype=torch.double, requires_grad=True)
    target = torch.tensor([0, 3, 2, 1, 1, 0])
    loss = CrossEntropyFunction.apply(logits, target)
    loss.backward()
    again = logits.detach().requires_grad_()
    F.cross_entropy(again, target).backward()
    assert torch.allclose(loss, F.cross_entropy(again, target)) and torch.allclose(logits.grad, again.grad)
    assert gradcheck(lambda x: CrossEntropyFunction.apply(x, target), logits)
    assert loss.grad_fn.needs_input_grad == (True, False)
    assert not CrossEntropyFunction.apply(logits.detach(), target).requires_grad


# A detector's backbone: `train()` keeps normalisation in eval mode and the first stages frozen


class Backbone(nn.Module):
    def __init__(self, frozen_stages=1, norm_eval=True):
        super().__init__()
        self.frozen_stages = frozen_stages
        self.norm_eval = norm_eval
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.res_layers = []
        for i in range(3):
            layer_name = f"layer{i + 1}"
            self.add_module(layer_name, self.make_layer())
            self.res_layers.append(layer_name)
        self._freeze_stages()

    def make_layer(self):
        return nn.Sequential(nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))

    def _freeze_stages(self):
        if self.frozen_stages >= 0:
            self.norm1.eval()
            for m in [self.conv1, self.norm1]:
                for param in m.parameters():
                    param.requires_grad = False

        for i in range(1, self.frozen_stages + 1):
            m = getattr(self, f"layer{i}")
            m.eval()
            for param in m.parameters():
                param.requires_grad = False

    def forward(self, x):
        x = self.relu(self.norm1(self.conv1(x)))
        outs = []
        for layer_name in self.res_layers:
            x = x + getattr(self, layer_name)(x)
            outs.append(x)
        return tuple(outs)

    def train(self, mode=True):
        """Convert the model into training mode while keep normalization layer freezed."""
        super().train(mode)
        self._freeze_stages()
        if mode and self.norm_eval:
            for m in self.modules():
                # trick: eval have effect on BatchNorm only
                if isinstance(m, _BatchNorm):
                    m.eval()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.head = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        return self.head(self.backbone(x)[-1])


def test_detector_keeps_normalisation_in_eval_mode() -> None:
    """A step of training changes neither the frozen stages nor any running statistics; the other weights change."""
    model = Detector()
    model.train()
    norms = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    assert len(norms) == 4 and not any(m.training for m in norms)
    assert model.training and model.head.training and model.backbone.layer2.training
    assert not model.backbone.layer1.training
    before = {name: value.clone() for name, value in model.state_dict().items()}
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1, momentum=0.9)
    loss = model(torch.randn(2, 3, 8, 8)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    convolutions = {"backbone.layer2.0.weight", "backbone.layer3.0.weight", "head.weight", "head.bias"}
    assert convolutions <= changed
    assert changed - convolutions <= {f"backbone.layer{i}.1.{name}" for i in (2, 3) for name in ("weight", "bias")}
    model.eval()
    assert not any(m.training for m in model.modules())


# The documentation of Module.apply


@torch.no_grad()
def init_weights(m):
    print(m)
    if type(m) is nn.Linear:
        m.weight.fill_(1.0)
        print(m.weight)


def test_apply_init_weights(capsys: Any) -> None:
    """It prints what the documentation shows."""
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    assert net.apply(init_weights) is net
    linear = """Linear(in_features=2, out_features=2, bias=True)
Parameter containing:
tensor([[1., 1.],
        [1., 1.]], requires_grad=True)
"""
    full = """Sequential(
  (0): Linear(in_features=2, out_features=2, bias=True)
  (1): Linear(in_features=2, out_features=2, bias=True)
)
"""
    assert capsys.readouterr().out == linear + linear + full
