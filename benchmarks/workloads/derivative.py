"""Derivatives of derivatives, and function transforms: vmap, jvp, jacobians."""

from .making import backward, filled, giving, leaves, plain
from .registering import workload

derivative = workload("derivative")


def network(torch, *widths):
    """Linear layers with tanh between them."""
    nn = torch.nn
    layers = [part for a, b in zip(widths, widths[1:], strict=False) for part in (nn.Linear(a, b), nn.Tanh())]
    return filled(torch, nn.Sequential(*layers[:-1]))


@derivative
def gradient_penalty(torch):
    """(|gradient by the input| - 1)^2 of a critic 32 - 64 - 64 - 1 on a batch of 64, and its gradients."""
    critic = network(torch, 32, 64, 64, 1)
    (x,) = leaves(torch, (64, 32))

    def loss():
        (g,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
        return ((g.norm(2, dim=1) - 1) ** 2).mean()

    return backward([x, *critic.parameters()][:-1], loss)


@derivative
def hessian_vector_product(torch):
    """The Hessian of a network's loss times a vector, by backward over backward."""
    model = network(torch, 16, 32, 1)
    (x,) = plain(torch, (32, 16))
    parameters = list(model.parameters())
    vectors = plain(torch, *[tuple(p.shape) for p in parameters])

    def step():
        gradients = torch.autograd.grad((model(x) ** 2).mean(), parameters, create_graph=True)
        product = sum((g * v).sum() for g, v in zip(gradients, vectors, strict=True))
        return torch.autograd.grad(product, parameters)

    return step


@derivative
def physics_informed(torch):
    """u'' + u = 0 on 128 points: second derivatives of a network 1 - 32 - 32 - 1, and their gradients."""
    model = network(torch, 1, 32, 32, 1)
    (x,) = leaves(torch, (128, 1))

    def loss():
        u = model(x)
        (first,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
        return ((second + u) ** 2).mean()

    return backward(list(model.parameters()), loss)


@derivative
def third_derivative(torch):
    """The third derivative of sin(x)^2 at a thousand points."""
    (x,) = leaves(torch, (1000,))

    def step():
        y = torch.sin(x) ** 2
        for _ in range(3):
            (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return y

    return step


@derivative
def meta_learning(torch):
    """The gradient through three steps of gradient descent of a linear model."""
    (w,) = leaves(torch, (16, 1))
    x, y = plain(torch, (32, 16), (32, 1))

    def loss():
        inner = w
        for _ in range(3):
            (g,) = torch.autograd.grad(((x @ inner - y) ** 2).mean(), inner, create_graph=True)
            inner = inner - 0.1 * g
        return ((x @ inner - y) ** 2).mean()

    return backward([w], loss)


@derivative
def checkpointed(torch):
    """A network 64 - 64 - 64 - 1 whose middle is computed again in backward."""
    model = network(torch, 64, 64, 64, 1)
    (x,) = leaves(torch, (64, 64))
    checkpoint = __import__(f"{torch.__name__}.utils.checkpoint", fromlist=["checkpoint"]).checkpoint

    def loss():
        return model[3:](checkpoint(model[:3], x, use_reentrant=False)).sum()

    return backward([x, *model.parameters()], loss)


@derivative
def vmap_of_dot(torch):
    """vmap of a dot product over 128 pairs."""
    a, b = plain(torch, (128, 64), (128, 64))
    mapped = torch.func.vmap(lambda x, y: (x * y).sum())
    return lambda: mapped(a, b)


@derivative
def gradients_for_each_sample(torch):
    """vmap of grad: a gradient of a network 16 - 32 - 1 for each of 64 samples."""
    model = network(torch, 16, 32, 1)
    parameters = dict(model.named_parameters())
    (x,) = plain(torch, (64, 16))

    def loss(value, sample):
        return torch.func.functional_call(model, value, (sample,)).square().sum()

    mapped = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))
    return giving(lambda: mapped(parameters, x), lambda: list(mapped(parameters, x).values()))


@derivative
def jvp(torch):
    """A network 32 - 64 - 8 and its derivative in a direction."""
    model = network(torch, 32, 64, 8)
    x, v = plain(torch, (16, 32), (16, 32))
    return lambda: torch.func.jvp(model, (x,), (v,))


@derivative
def vjp(torch):
    """A network 32 - 64 - 8 and a vector times its Jacobian."""
    model = network(torch, 32, 64, 8)
    x, v = plain(torch, (16, 32), (16, 8))

    def step():
        output, pull = torch.func.vjp(model, x)
        return output, pull(v)[0]

    return step


@derivative
def jacrev(torch):
    """The Jacobian of a network 32 - 64 - 8, backward."""
    model = network(torch, 32, 64, 8)
    (x,) = plain(torch, (32,))
    jacobian = torch.func.jacrev(model)
    return lambda: jacobian(x)


@derivative
def jacfwd(torch):
    """The Jacobian of a network 8 - 64 - 32, forward."""
    model = network(torch, 8, 64, 32)
    (x,) = plain(torch, (8,))
    jacobian = torch.func.jacfwd(model)
    return lambda: jacobian(x)


@derivative
def hessian(torch):
    """The Hessian of a network 8 - 16 - 1."""
    model = network(torch, 8, 16, 1)
    (x,) = plain(torch, (8,))
    second = torch.func.hessian(lambda point: model(point).sum())
    return lambda: second(x)
