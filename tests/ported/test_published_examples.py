"""The note "Extending PyTorch": a Function, a Module around it, and their check, with only the import changed."""

import specgrad as torch
from specgrad import nn
from specgrad.autograd import Function, gradcheck, gradgradcheck


class LinearFunction(Function):
    # Note that forward, setup_context, and backward are @staticmethods
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    # inputs is a Tuple of all of the inputs passed to forward.
    # output is the output of the forward().
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    # This function has only a single output, so it gets only one gradient
    @staticmethod
    def backward(ctx, grad_output):
        # Thanks to the fact that additional trailing Nones are ignored, the return statement is simple even when the
        # function has optional inputs.
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None

        # These needs_input_grad checks are optional and there only to improve efficiency.
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)

        return grad_input, grad_weight, grad_bias


# Option 1: alias
linear = LinearFunction.apply


# Option 2: wrap in a function, to support default args and keyword args.
def linear_with_default(input, weight, bias=None):
    return LinearFunction.apply(input, weight, bias)


class MulConstant(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        # ctx is a context object that can be used to stash information for backward computation
        tensor, constant = inputs
        ctx.set_materialize_grads(False)
        ctx.constant = constant

    @staticmethod
    def backward(ctx, grad_output):
        # Here we must handle None grad_output tensor. In this case we can skip unnecessary computations.
        if grad_output is None:
            return None, None

        # We return as many input gradients as there were arguments. Gradients of non-Tensor arguments to forward must
        # be None.
        return grad_output * ctx.constant, None


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features

        # nn.Parameter is a special kind of Tensor, that will get automatically registered as Module's parameter once
        # it's assigned as an attribute.
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            # You should always register all possible parameters, but the optional ones can be None if you want.
            self.register_parameter("bias", None)

        # Not a very smart way to initialize weights
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        # See the autograd section for explanation of what happens here.
        return LinearFunction.apply(input, self.weight, self.bias)

    def extra_repr(self):
        # (Optional) Set the extra information about this module. You can test it by printing an object of this class.
        return "input_features={}, output_features={}, bias={}".format(  # noqa: UP032
            self.input_features, self.output_features, self.bias is not None
        )


def test_linear_function() -> None:
    """gradcheck takes a tuple of tensors and checks that their gradients are close to differences."""
    input = (
        torch.randn(20, 20, dtype=torch.double, requires_grad=True),
        torch.randn(30, 20, dtype=torch.double, requires_grad=True),
    )
    test = gradcheck(linear_with_default, input, eps=1e-6, atol=1e-4)
    assert test is True
    bias = torch.randn(3, dtype=torch.double, requires_grad=True)
    small = [x[:3, :4].detach().requires_grad_() for x in input]
    assert gradcheck(linear, (*small, bias), eps=1e-6, atol=1e-4)
    assert gradgradcheck(linear, (*small, bias))


def test_mul_constant() -> None:
    """The function that asks for None in place of zeros is right, also where its gradient is missing."""
    x = torch.randn(3, 2, dtype=torch.double, requires_grad=True)
    assert gradcheck(lambda t: MulConstant.apply(t, 5.5), x)
    assert gradgradcheck(lambda t: MulConstant.apply(t, 5.5), x)
    node = MulConstant.apply(x, 2.0).grad_fn
    assert node.apply(None) == (None, None)


def test_linear_module() -> None:
    """The Module around it trains, prints its extra_repr, and knows a bias that is None."""
    layer = Linear(4, 2)
    assert repr(layer) == "Linear(input_features=4, output_features=2, bias=True)"
    assert repr(Linear(4, 2, bias=False)) == "Linear(input_features=4, output_features=2, bias=False)"
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    assert Linear(4, 2, bias=False).bias is None
    x = torch.randn(5, 4)
    same = nn.Linear(4, 2)
    same.load_state_dict(layer.state_dict())
    for module in (layer, same):
        module(x).pow(2).sum().backward()
    assert torch.allclose(layer.weight.grad, same.weight.grad) and torch.allclose(layer.bias.grad, same.bias.grad)
