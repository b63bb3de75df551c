"""The note "Extending torch.func with autograd.Function", with only the import changed."""

import numpy as np
import pytest

import specgrad as torch


def to_numpy(tensor):
    return tensor.cpu().numpy()


class NumpySort(torch.autograd.Function):
    # Note that forward does not take ctx
    @staticmethod
    def forward(x, dim):
        device = x.device
        x = to_numpy(x)
        ind = np.argsort(x, axis=dim)
        ind_inv = np.argsort(ind, axis=dim)
        result = np.take_along_axis(x, ind, axis=dim)
        # Any intermediates to be saved in backward must be returned as outputs.
        return (
            # The desired output
            torch.tensor(result, device=device),
            # intermediate to save for backward
            torch.tensor(ind, device=device),
            # intermediate to save for backward
            torch.tensor(ind_inv, device=device),
        )

    # setup_context is responsible for calling methods and/or assigning to the ctx object. Please do not do additional
    # compute (e.g. add Tensors together) in setup_context.
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, dim = inputs
        # Note that output is whatever you returned from forward. If you returned multiple values, then output is a
        # Tuple of multiple values. If you returned a single Tensor from forward, then output is a Tensor. If you
        # returned a Tuple with a single Tensor from forward, then output is a Tuple with a single Tensor.
        _, ind, ind_inv = output
        ctx.mark_non_differentiable(ind, ind_inv)
        # Tensors must be saved via ctx.save_for_backward. Please do not assign them directly onto the ctx object.
        ctx.save_for_backward(ind, ind_inv)
        # Non-tensors may be saved by assigning them as attributes on the ctx object.
        ctx.dim = dim

    @staticmethod
    def backward(ctx, grad_output, _0, _1):
        # For the autograd.Function to be arbitrarily composable with function transforms, all staticmethods other than
        # forward and setup_context must be implemented in a "transformable" way; that is, they must only consist of
        # PyTorch operations or autograd.Function.
        ind, ind_inv = ctx.saved_tensors
        return NumpyTake.apply(grad_output, ind_inv, ind, ctx.dim), None

    # The signature of the vmap staticmethod is: vmap(info, in_dims: Tuple[Optional[int]], *args)
    @staticmethod
    def vmap(info, in_dims, x, dim):
        # For every input (x and dim), in_dims stores an Optional[int] that is: None if the input is not being vmapped
        # over or if the input is not a Tensor; an integer if the input is being vmapped over, the dimension of it.
        x_bdim, _ = in_dims

        # A "vmap rule" is the logic of how to perform the operation given inputs with one additional dimension.
        x = x.movedim(x_bdim, 0)
        # Handle negative dims correctly
        dim = dim if dim >= 0 else dim + x.dim() - 1

        # The vmap rule must return a tuple of two things: the output and the dimension over which it is batched.
        return NumpySort.apply(x, dim + 1), (0, 0, 0)


class NumpyTake(torch.autograd.Function):
    @staticmethod
    def forward(x, ind, ind_inv, dim):
        device = x.device
        x = to_numpy(x)
        ind = to_numpy(ind)
        return torch.tensor(np.take_along_axis(x, ind, dim), device=device)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _x, ind, ind_inv, dim = inputs
        ctx.save_for_backward(ind, ind_inv)
        ctx.dim = dim

    @staticmethod
    def backward(ctx, grad_output):
        ind, ind_inv = ctx.saved_tensors
        result = NumpyTake.apply(grad_output, ind_inv, ind, ctx.dim)
        return result, None, None, None

    @staticmethod
    def vmap(info, in_dims, x, ind, ind_inv, dim):
        x_bdim, ind_bdim, ind_inv_bdim, _ = in_dims

        # The strategy is: expand {x, ind, ind_inv} to all have the dimension being vmapped over. Then, call back into
        # NumpyTake(expanded_x, expanded_ind, expanded_ind_inv, new_dim).

        # Handle negative dims by wrapping them to be positive
        logical_dim = x.dim() if x_bdim is None else x.dim() - 1
        dim = dim if dim >= 0 else dim + logical_dim

        def maybe_expand_bdim_at_front(x, x_bdim):
            if x_bdim is None:
                return x.expand(info.batch_size, *x.shape)
            return x.movedim(x_bdim, 0)

        # If the Tensor doesn't have the dimension being vmapped over, expand it out. Otherwise, move it to the front.
        x = maybe_expand_bdim_at_front(x, x_bdim)
        ind = maybe_expand_bdim_at_front(ind, ind_bdim)
        ind_inv = maybe_expand_bdim_at_front(ind_inv, ind_inv_bdim)

        # The return is a tuple (output, out_dims). Since output is a Tensor, then out_dims is an Optional[int].
        return NumpyTake.apply(x, ind, ind_inv, dim + 1), 0


def numpy_sort(x, dim=-1):
    result, _, _ = NumpySort.apply(x, dim)
    return result


class MyCube(torch.autograd.Function):
    # Set generate_vmap_rule to True to ask PyTorch to automatically generate a vmap rule.
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        result = x**3
        # In regular PyTorch, if we had just run y = x ** 3, then the backward pass computes dx = 3 * x ** 2. In this
        # autograd.Function, we've done that computation here in the forward pass instead.
        dx = 3 * x**2
        return result, dx

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        # In order for the autograd.Function to work with higher-order gradients, we must add the gradient contribution
        # of `dx`, which is grad_dx * 6 * x.
        result = grad_output * dx + grad_dx * 6 * x
        return result


def my_cube(x):
    result, dx = MyCube.apply(x)
    return result


def reference(x):
    return np.sort(x.numpy(), axis=-1)


def test_numpy_sort() -> None:
    """Sorting by NumPy under grad, vmap, and both in either order."""
    x = torch.randn(2, 3)
    w = torch.tensor([1.0, 10.0, 100.0])
    ranks = np.argsort(np.argsort(x.numpy(), axis=-1), axis=-1)
    expected = w.numpy()[ranks]
    one = torch.func.grad(lambda x: (numpy_sort(x) * w).sum())
    assert np.array_equal(numpy_sort(x).numpy(), reference(x))
    assert np.array_equal(torch.vmap(numpy_sort)(x).numpy(), reference(x))
    assert np.array_equal(torch.vmap(one)(x).numpy(), expected)
    assert np.array_equal(torch.func.grad(lambda x: (torch.vmap(numpy_sort)(x) * w).sum())(x).numpy(), expected)
    jacobian = torch.func.jacrev(numpy_sort)(x[0]).numpy()
    assert np.array_equal(jacobian.T, np.eye(3)[ranks[0]])


def test_my_cube() -> None:
    """The generated rule under vmap, and per-sample first and second derivatives."""
    x = torch.randn(3)
    ggx = torch.func.grad(torch.func.grad(my_cube))
    assert torch.allclose(torch.vmap(my_cube)(x), x**3)
    assert torch.allclose(torch.vmap(torch.func.grad(my_cube))(x), 3 * x**2)
    assert torch.allclose(torch.vmap(ggx)(x), 6 * x) and ggx(x[0]).item() == pytest.approx(6 * x[0].item())
