"""Scripts by hand, as people write them with `import torch`; the numbers are what PyTorch 2.13 gives."""

from typing import Any

import pytest

import specgrad as torch
from specgrad import nn
from specgrad.nn import functional as F

from .numbers import close, fixed, numbers


def test_micrograd() -> None:
    """The scalar expression of micrograd's tests: value and gradients."""
    a = torch.Tensor([-4.0]).double()
    b = torch.Tensor([2.0]).double()
    a.requires_grad = True
    b.requires_grad = True
    c = a + b
    d = a * b + b**3
    c = c + c + 1
    c = c + 1 + c + (-a)
    d = d + d * 2 + (b + a).relu()
    d = d + 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g = g + 10.0 / f
    g.backward()
    assert [g.data.item(), a.grad.item(), b.grad.item()] == pytest.approx(
        [24.70408163265306, 138.83381924198252, 645.5772594752186]
    )


def test_regression_by_hand() -> None:
    """A linear model without nn: updates under no_grad, `grad.zero_()`, and the older `w.data -=`."""
    X = numbers(20, 3)
    y = X @ torch.tensor([2.0, -3.4, 1.0]) + 4.2
    w = torch.zeros(3, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for i in range(30):
        loss = ((X @ w + b - y) ** 2).mean()
        loss.backward()
        if i % 2:
            with torch.no_grad():
                w -= 0.1 * w.grad
                b -= 0.1 * b.grad
        else:
            w.data -= 0.1 * w.grad
            b.data.sub_(0.1 * b.grad)
        w.grad.zero_()
        b.grad = None
    assert [loss.item(), *w.tolist(), b.item()] == close([0.0106824, 0.948912, -3.54283, -0.0359636, 4.1893])


def test_makemore_bigrams_and_mlp() -> None:
    """Counts of letter pairs, `keepdims`, fancy indexing with `range`, and a network on embeddings by hand."""
    slot_values = ["emma", "olivia", "ava"]
    arg_kinds = sorted(set("".join(slot_values)))
    stoi = {s: i + 1 for i, s in enumerate(arg_kinds)}
    stoi["."] = 0
    N = torch.zeros((len(stoi), len(stoi)), dtype=torch.int32)
    X, Y = [], []
    for w in slot_values:
        context = [0] * 2
        for ch in w + ".":
            X.append(context)
            Y.append(stoi[ch])
            N[context[-1], stoi[ch]] += 1
            context = context[1:] + [stoi[ch]]
    P = (N + 1).float()
    P /= P.sum(1, keepdims=True)
    X, Y = torch.tensor(X), torch.tensor(Y)
    nll = -P[X[:, 1], Y].log().mean()
    C, W1, W2 = numbers(len(stoi), 2), numbers(4, 6), numbers(6, len(stoi))
    parameters = [C, W1, W2]
    for p in parameters:
        p.requires_grad = True
    for _ in range(10):
        h = C[X].view(X.shape[0], -1) @ W1
        h = torch.tanh((h - h.mean(0, keepdim=True)) / h.std(0, keepdim=True))
        logits = h @ W2
        probs = logits.exp() / logits.exp().sum(1, keepdims=True)
        loss = -probs[range(len(Y)), Y].log().mean()
        assert torch.allclose(loss, F.cross_entropy(logits, Y))
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data += -0.5 * p.grad
    assert [nll.item(), loss.item(), C.grad.std().item()] == close([1.52317, 1.37947, 0.0277651])


class LinearFunction(torch.autograd.Function):
    """The example of PyTorch's page on extending autograd."""

    @staticmethod
    def forward(ctx: Any, input: Any, weight: Any, bias: Any = None) -> Any:
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


def test_custom_function_and_hooks() -> None:
    """A Function passes gradcheck; hooks see activations and change gradients."""
    x, w, b = (numbers(*s).double().requires_grad_() for s in [(4, 3), (2, 3), (2,)])
    assert torch.autograd.gradcheck(LinearFunction.apply, (x, w, b), eps=1e-6, atol=1e-4)
    assert torch.autograd.gradgradcheck(LinearFunction.apply, (x, w))
    seen: dict[str, Any] = {}
    model = fixed(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))
    handle = model[0].register_forward_hook(lambda module, args, out: seen.update(hidden=out.detach()))
    model[2].register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] * 2,))
    out = model(x.float())
    handle.remove()
    out.pow(2).sum().backward()
    assert seen["hidden"].shape == (4, 4)
    assert model[0].weight.grad.sum().item() == close(3.01072)
