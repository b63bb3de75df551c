"""The tutorial "Creating Extensions Using NumPy and SciPy", with only the import changed."""

import numpy as np
from numpy.fft import irfft2, rfft2
from scipy.signal import convolve2d, correlate2d

import specgrad as torch
from specgrad.autograd import Function
from specgrad.nn import functional as F
from specgrad.nn.modules.module import Module
from specgrad.nn.parameter import Parameter


class BadFFTFunction(Function):
    @staticmethod
    def forward(ctx, input):
        numpy_input = input.detach().numpy()
        result = abs(rfft2(numpy_input))
        return input.new(result)

    @staticmethod
    def backward(ctx, grad_output):
        numpy_go = grad_output.numpy()
        result = irfft2(numpy_go)
        return grad_output.new(result)


# since this layer does not have any parameters, we can
# simply declare this as a function, rather than as an ``nn.Module`` class
def incorrect_fft(input):
    return BadFFTFunction.apply(input)


class ScipyConv2dFunction(Function):
    @staticmethod
    def forward(ctx, input, filter, bias):
        # detach so we can cast to NumPy
        input, filter, bias = input.detach(), filter.detach(), bias.detach()
        result = correlate2d(input.numpy(), filter.numpy(), mode="valid")
        result += bias.numpy()
        ctx.save_for_backward(input, filter, bias)
        return torch.as_tensor(result, dtype=input.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        grad_output = grad_output.detach()
        input, filter, bias = ctx.saved_tensors
        grad_output = grad_output.numpy()
        grad_bias = np.sum(grad_output, keepdims=True)
        grad_input = convolve2d(grad_output, filter.numpy(), mode="full")
        # the previous line can be expressed equivalently as:
        # grad_input = correlate2d(grad_output, flip(flip(filter.numpy(), axis=0), axis=1), mode='full')
        grad_filter = correlate2d(input.numpy(), grad_output, mode="valid")
        return (
            torch.from_numpy(grad_input),
            torch.from_numpy(grad_filter).to(torch.float),
            torch.from_numpy(grad_bias).to(torch.float),
        )


class ScipyConv2d(Module):
    def __init__(self, filter_width, filter_height):
        super(ScipyConv2d, self).__init__()  # noqa: UP008
        self.filter = Parameter(torch.randn(filter_width, filter_height))
        self.bias = Parameter(torch.randn(1, 1))

    def forward(self, input):
        return ScipyConv2dFunction.apply(input, self.filter, self.bias)


def test_bad_fft() -> None:
    """A layer without parameters; its backward is of the right shape and, as its name says, wrong."""
    input = torch.randn(8, 8, requires_grad=True)
    result = incorrect_fft(input)
    assert np.allclose(result.detach().numpy(), abs(rfft2(input.detach().numpy())), atol=1e-4)
    result.backward(torch.randn(result.size()))
    assert input.grad.shape == (8, 8) and input.grad.dtype is torch.float32


def test_scipy_conv2d() -> None:
    """A layer with parameters, computed and differentiated by SciPy, is the convolution, and so are its gradients."""
    module = ScipyConv2d(3, 3)
    assert [tuple(p.shape) for p in module.parameters()] == [(3, 3), (1, 1)]
    input = torch.randn(10, 10, requires_grad=True)
    output = module(input)
    grad = torch.randn(8, 8)
    output.backward(grad)
    again = input.detach().requires_grad_()
    expected = F.conv2d(again[None, None], module.filter.detach()[None, None], module.bias.detach()[0])[0, 0]
    expected.backward(grad)
    assert torch.allclose(output, expected, atol=1e-5) and torch.allclose(input.grad, again.grad, atol=1e-5)
    assert module.filter.grad.shape == (3, 3) and module.bias.grad.shape == (1, 1)


def test_scipy_conv2d_gradcheck() -> None:
    """The tutorial's own check of it."""
    from specgrad.autograd.gradcheck import gradcheck

    moduleConv = ScipyConv2d(3, 3)
    input = [torch.randn(20, 20, dtype=torch.double, requires_grad=True)]
    test = gradcheck(moduleConv, input, eps=1e-6, atol=1e-4)
    assert test is True
