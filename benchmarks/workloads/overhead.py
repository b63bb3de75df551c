"""Small tensors, where a call costs what the library spends around the arithmetic; forward and backward unless said."""

from .making import backward, filled, inference, integers, leaves, plain, positive, training
from .registering import workload

overhead = workload("overhead")


@overhead
def mul_sum_64(torch):
    """(a * b).sum() on 64 numbers."""
    a, b = leaves(torch, (64,), (64,))
    return backward([a, b], lambda: (a * b).sum())


@overhead
def add_unrecorded(torch):
    """One addition of 64 numbers, nothing recorded."""
    a, b = plain(torch, (64,), (64,))
    return lambda: a + b


@overhead
def mul_recorded(torch):
    """One multiplication of 64 numbers, recorded, without backward."""
    a, b = leaves(torch, (64,), (64,))
    return lambda: a * b


@overhead
def tanh_chain_20(torch):
    """Twenty tanh in a row on 64 numbers."""
    (a,) = leaves(torch, (64,))

    def loss():
        x = a
        for _ in range(20):
            x = torch.tanh(x)
        return x.sum()

    return backward([a], loss)


@overhead
def scalars_chain(torch):
    """(x * 2 + 1) / 3 - 0.5, five times in a row."""
    (a,) = leaves(torch, (64,))

    def loss():
        x = a
        for _ in range(5):
            x = (x * 2 + 1) / 3 - 0.5
        return x.sum()

    return backward([a], loss)


@overhead
def polynomial(torch):
    """x^3 - 2 x^2 + x by powers."""
    (a,) = leaves(torch, (64,))
    return backward([a], lambda: (a**3 - 2 * a**2 + a).sum())


@overhead
def broadcast_64x64(torch):
    """A column plus a row, squared."""
    a, b = leaves(torch, (64, 1), (1, 64))
    return backward([a, b], lambda: (a + b).square().mean())


@overhead
def bias_add(torch):
    """A row of 64 added to 16 rows."""
    a, b = leaves(torch, (16, 64), (64,))
    return backward([a, b], lambda: (a + b).sum())


@overhead
def matmul_16(torch):
    """A 16 x 16 matrix product."""
    a, b = leaves(torch, (16, 16), (16, 16))
    return backward([a, b], lambda: (a @ b).sum())


@overhead
def matmul_64(torch):
    """A 64 x 64 matrix product."""
    a, b = leaves(torch, (64, 64), (64, 64))
    return backward([a, b], lambda: (a @ b).sum())


@overhead
def views(torch):
    """Transpose, slice, reshape, squeeze and expand, nothing computed."""
    (a,) = plain(torch, (16, 16))
    return lambda: a.t()[2:10].unsqueeze(0).expand(4, 8, 16).transpose(1, 2).squeeze()


@overhead
def views_recorded(torch):
    """Transpose, slice and reshape of a leaf."""
    (a,) = leaves(torch, (16, 16))
    return backward([a], lambda: a.t()[2:10].view_as(a[:, 2:10].t()).reshape(-1).sum())


@overhead
def views_and_cat(torch):
    """Transpose, slice, reshape and concatenate."""
    (a,) = leaves(torch, (16, 16))
    return backward([a], lambda: torch.cat([a.t()[:8].reshape(-1), a[8:].flatten()]).sum())


@overhead
def transposed_chain(torch):
    """Arithmetic on a transposed view of 16 x 16, nothing recorded."""
    (a,) = plain(torch, (16, 16))
    return lambda: (a.t() * 0.5 + 1.0).exp()


@overhead
def transposed_reduced(torch):
    """Softmax, mean and sum of a transposed view of 16 x 16."""
    (a,) = leaves(torch, (16, 16))
    return backward([a], lambda: torch.softmax(a.t(), 1).mean(0).sum())


@overhead
def columns_recorded(torch):
    """tanh of some columns of 16 x 16."""
    (a,) = leaves(torch, (16, 16))
    return backward([a], lambda: a[:, 2:10].tanh().sum())


@overhead
def columns_in_place(torch):
    """Every second column scaled, and numbers added to it, nothing recorded."""
    a, b = plain(torch, (16, 16), (16, 8))
    return lambda: a[:, ::2].mul_(0.9).add_(b)


@overhead
def heads_split(torch):
    """Two attention heads of 8 numbers for 4 words, split by views, and their weights."""
    (a,) = leaves(torch, (2, 4, 16))

    def loss():
        heads = a.view(2, 4, 2, 8).transpose(1, 2)
        return torch.softmax(heads @ heads.transpose(-2, -1), -1).sum()

    return backward([a], loss)


@overhead
def activations(torch):
    """Leaky ReLU, ELU, softplus and hard tanh of 64 numbers, nothing recorded."""
    (a,) = plain(torch, (64,))
    f = torch.nn.functional
    return lambda: f.hardtanh(f.softplus(f.elu(f.leaky_relu(a, 0.1))))


@overhead
def interpolated(torch):
    """lerp, addcmul and addcdiv of 64 numbers, nothing recorded."""
    a, b = plain(torch, (64,), (64,))
    c = positive(torch, 64)
    return lambda: torch.addcdiv(torch.addcmul(torch.lerp(a, b, 0.3), a, b, value=0.5), b, c, value=0.1)


@overhead
def made(torch):
    """zeros, ones, full and arange of 16 numbers, joined."""
    return lambda: torch.cat([torch.zeros(16), torch.ones(16), torch.full((16,), 2.0), torch.arange(16.0)])


@overhead
def converted(torch):
    """float32 to float64 and back, 64 numbers, nothing recorded."""
    (a,) = plain(torch, (64,))
    return lambda: a.double().float()


@overhead
def masked_16x16(torch):
    """masked_fill above the diagonal, and softmax."""
    (a,) = leaves(torch, (16, 16))
    mask = torch.tensor([[j > i for j in range(16)] for i in range(16)])
    return backward([a], lambda: torch.softmax(a.masked_fill(mask, -1e9), 1).square().sum())


@overhead
def rows_by_number(torch):
    """Eight rows picked by integers and stacked."""
    (a,) = leaves(torch, (16, 16))
    return backward([a], lambda: torch.stack([a[i] for i in range(8)]).sum())


@overhead
def rows_by_index(torch):
    """64 rows looked up in a table of 100 x 16."""
    (a,) = leaves(torch, (100, 16))
    index = integers(torch, 100, 64)
    return backward([a], lambda: a[index].sum())


@overhead
def where_compare(torch):
    """where(x > 0, x, 0.1 x)."""
    (a,) = leaves(torch, (64,))
    return backward([a], lambda: torch.where(a > 0, a, 0.1 * a).sum())


@overhead
def inplace_updates(torch):
    """mul_, add_ with alpha, clamp_ on 64 numbers, nothing recorded."""
    a, b = plain(torch, (64,), (64,))
    return lambda: a.mul_(0.9).add_(b, alpha=0.1).clamp_(-1.0, 1.0)


@overhead
def results_reused(torch):
    """add, mul and exp of 64 numbers, each written to a tensor that is there, by `out=`."""
    a, b, out = plain(torch, (64,), (64,), (64,))

    def step():
        torch.add(a, b, out=out)
        torch.mul(out, 0.5, out=out)
        return torch.exp(out, out=out)

    return step


@overhead
def masks(torch):
    """What a mask of 16 x 16 chooses: the elements, a choice of two numbers, and where it is true."""
    (a,) = plain(torch, (16, 16))
    mask = a > 0
    return lambda: (a[mask], torch.where(mask, 1.0, 0.0), (mask & True).nonzero())


@overhead
def masks_combined(torch):
    """Masks of 16 rows and 16 columns: combined, times a matrix, and a choice between a row and a number."""
    (a,) = plain(torch, (16, 16))
    rows, columns = a[:, :1] > 0, a[0] > 0
    return lambda: (rows & columns, a * rows, torch.where(rows, a[0], 0.0))


@overhead
def integer_ops(torch):
    """Arithmetic of 64 integers, as places are computed with."""
    a, b = integers(torch, 1000, 64), integers(torch, 9, 64) + 1
    return lambda: (a % b + a // 3) * 2 - a**2


@overhead
def multi_views(torch):
    """The rows, chunks and flattened parts of 8 x 4 x 4, without recording."""
    (a,) = plain(torch, (8, 4, 4))
    return lambda: (*a.unbind(), *a.chunk(4), a.flatten(1))


@overhead
def reductions(torch):
    """sum over rows, mean over columns, max and variance of 16 x 16."""
    (a,) = leaves(torch, (16, 16))
    return backward([a], lambda: a.sum(0).mean() + a.mean(1).max() + a.var())


@overhead
def softmax_loss_32x10(torch):
    """Cross entropy of 32 rows of 10 scores."""
    (a,) = leaves(torch, (32, 10))
    target = integers(torch, 10, 32)
    return backward([a], lambda: torch.nn.functional.cross_entropy(a, target))


@overhead
def layer_norm_32x64(torch):
    """Layer normalisation with weight and bias."""
    a, w, b = leaves(torch, (32, 64), (64,), (64,))
    return backward([a, w, b], lambda: torch.nn.functional.layer_norm(a, (64,), w, b).sum())


@overhead
def double_backward(torch):
    """The gradient of the squared gradient of a cubic, on 64 numbers."""
    (a,) = leaves(torch, (64,))

    def loss():
        (g,) = torch.autograd.grad((a * a * a).sum(), a, create_graph=True)
        return (g * g).sum()

    return backward([a], loss)


@overhead
def recurrent_10(torch):
    """Ten steps of a recurrent cell by hand (batch 8, state 32)."""
    x, h, w, u = leaves(torch, (8, 32), (8, 32), (32, 32), (32, 32))

    def loss():
        state = h
        for _ in range(10):
            state = torch.tanh(x @ w + state @ u)
        return state.sum()

    return backward([x, h, w, u], loss)


def tiny(torch):
    """Two layers, 64 inputs, 10 outputs."""
    nn = torch.nn
    return filled(torch, nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)))


@overhead
def perceptron_forward(torch):
    """A network of two layers on a batch of 32, without recording."""
    return inference(torch, tiny(torch), plain(torch, (32, 64))[0])


@overhead
def perceptron_sgd(torch):
    """One training step of two layers on a batch of 32 with SGD and momentum."""
    model = tiny(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    return training(torch, model, optimizer, plain(torch, (32, 64))[0])


@overhead
def perceptron_adam(torch):
    """One training step of four narrow layers on a batch of 8 with Adam."""
    nn = torch.nn
    layers = [layer for _ in range(3) for layer in (nn.Linear(16, 16), nn.Tanh())]
    model = filled(torch, nn.Sequential(*layers, nn.Linear(16, 4)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return training(torch, model, optimizer, plain(torch, (8, 16))[0], classes=4)


@overhead
def row_added_in_place(torch):
    """A row of 64 numbers added to 32 rows, in place, nothing recorded."""
    a, b = plain(torch, (32, 64), (64,))
    return lambda: a.add_(b, alpha=1e-9)


@overhead
def products_of_batches(torch):
    """Matrices of two small batches multiplied in pairs, nothing recorded."""
    a, b = plain(torch, (4, 8, 8), (4, 8, 8))
    return lambda: a @ b


@overhead
def batch_by_matrix(torch):
    """A batch of matrices times one matrix."""
    a, b = leaves(torch, (4, 8, 8), (8, 6))
    return backward([a, b], lambda: (a @ b).sum())


@overhead
def matrix_by_vector(torch):
    """A matrix times a vector."""
    a, b = leaves(torch, (7, 8), (8,))
    return backward([a, b], lambda: (a @ b).sum())


@overhead
def norms_small(torch):
    """The norms of a hundred rows, nothing recorded."""
    (a,) = plain(torch, (100, 8))
    return lambda: torch.linalg.vector_norm(a, dim=1)
