"""Products, contractions, Fourier transforms and linear algebra. Forward alone unless said."""

from .making import backward, giving, leaves, plain
from .registering import costing, workload

algebra = workload("algebra")


def regular(torch, *shape, dtype="float32"):
    """Random symmetric matrices with positive eigenvalues."""
    (a,) = plain(torch, shape, dtype=dtype)
    return a @ a.transpose(-1, -2) + shape[-1] * torch.eye(shape[-1], dtype=a.dtype)


@algebra
@costing(flops=2 * 128**3)
def matmul_128(torch):
    """A 128 x 128 matrix product."""
    a, b = plain(torch, (128, 128), (128, 128))
    return lambda: a @ b


@algebra
@costing(flops=2 * 512**3)
def matmul_512(torch):
    """A 512 x 512 matrix product."""
    a, b = plain(torch, (512, 512), (512, 512))
    return lambda: a @ b


@algebra
@costing(flops=2 * 1024**3)
def matmul_1024(torch):
    """A 1024 x 1024 matrix product."""
    a, b = plain(torch, (1024, 1024), (1024, 1024))
    return lambda: a @ b


@algebra
@costing(flops=2 * 32 * 768 * 3072)
def matmul_small(torch):
    """A product of 32 rows with a 768 x 3072 matrix."""
    a, b = plain(torch, (32, 768), (768, 3072))
    return lambda: a @ b


@algebra
@costing(flops=6 * 512**3)
def matmul_512_backward(torch):
    """A 512 x 512 matrix product, forward and backward."""
    a, b = leaves(torch, (512, 512), (512, 512))
    return backward([a, b], lambda: (a @ b).sum())


@algebra
@costing(flops=2 * 512**3)
def matmul_transposed(torch):
    """a^T b of 512 x 512."""
    a, b = plain(torch, (512, 512), (512, 512))
    return lambda: a.t() @ b


@algebra
@costing(moved=4 * 2048**2)
def matrix_vector(torch):
    """2048 x 2048 times a vector."""
    a, b = plain(torch, (2048, 2048), (2048,))
    return lambda: a @ b


@algebra
@costing(flops=2 * 64 * 64**3)
def bmm(torch):
    """64 products of 64 x 64, forward."""
    a, b = plain(torch, (64, 64, 64), (64, 64, 64))
    return lambda: torch.bmm(a, b)


@algebra
def bmm_backward(torch):
    """64 products of 64 x 64, forward and backward."""
    a, b = leaves(torch, (64, 64, 64), (64, 64, 64))
    return backward([a, b], lambda: torch.bmm(a, b).sum())


@algebra
def einsum_heads(torch):
    """bqhd,bkhd->bhqk: the scores of attention, forward and backward."""
    a, b = leaves(torch, (4, 64, 4, 32), (4, 64, 4, 32))
    return backward([a, b], lambda: torch.einsum("bqhd,bkhd->bhqk", a, b).sum())


@algebra
def einsum_trace(torch):
    """bij,bji->b."""
    a, b = plain(torch, (64, 32, 32), (64, 32, 32))
    return lambda: torch.einsum("bij,bji->b", a, b)


@algebra
def fft(torch):
    """64 Fourier transforms of 1024 complex numbers."""
    a, b = plain(torch, (64, 1024), (64, 1024))
    z = torch.complex(a, b)
    return lambda: torch.fft.fft(z)


@algebra
def rfft_and_back(torch):
    """64 signals of 1024, to their spectrum and back, forward and backward."""
    (a,) = leaves(torch, (64, 1024))
    return backward([a], lambda: (torch.fft.irfft(torch.fft.rfft(a), 1024) ** 2).sum())


@algebra
def fft2(torch):
    """The spectra of 8 pictures of 64 x 64."""
    (a,) = plain(torch, (8, 64, 64))
    return lambda: torch.fft.fft2(a)


@algebra
def solve(torch):
    """A system of 256 equations with 16 right sides."""
    a, (b,) = regular(torch, 256, 256), plain(torch, (256, 16))
    return lambda: torch.linalg.solve(a, b)


@algebra
def solve_batched_backward(torch):
    """64 systems of 16 equations, forward and backward."""
    a = regular(torch, 64, 16, 16).requires_grad_()
    (b,) = leaves(torch, (64, 16, 1))
    return backward([a, b], lambda: torch.linalg.solve(a, b).sum())


@algebra
def cholesky(torch):
    """The factor of a matrix of 256 x 256."""
    a = regular(torch, 256, 256)
    return lambda: torch.linalg.cholesky(a)


@algebra
def inverse(torch):
    """The inverse of a matrix of 256 x 256."""
    a = regular(torch, 256, 256)
    return lambda: torch.linalg.inv(a)


@algebra
def determinant(torch):
    """log |det| of 64 matrices of 16 x 16, forward and backward."""
    a = regular(torch, 64, 16, 16).requires_grad_()
    return backward([a], lambda: torch.linalg.slogdet(a)[1].sum())


@algebra
def qr(torch):
    """The factors of a matrix of 256 x 128."""
    (a,) = plain(torch, (256, 128))
    return giving(lambda: torch.linalg.qr(a), lambda: [torch.linalg.qr(a)[1].abs()])


@algebra
def svd(torch):
    """The singular values and vectors of a matrix of 128 x 64."""
    (a,) = plain(torch, (128, 64))
    step = lambda: torch.linalg.svd(a, full_matrices=False)  # noqa: E731
    return giving(step, lambda: [step()[1]])  # vectors may have either sign


@algebra
def eigh(torch):
    """The eigenvalues and vectors of a symmetric matrix of 128 x 128."""
    a = regular(torch, 128, 128)
    step = lambda: torch.linalg.eigh(a)  # noqa: E731
    return giving(step, lambda: [step()[0]])


@algebra
def pairwise_distances(torch):
    """The distances of 256 points to 256 others in 64 dimensions, forward and backward."""
    a, b = leaves(torch, (256, 64), (256, 64))
    return backward([a, b], lambda: torch.cdist(a, b).sum())


@algebra
def solved_small(torch):
    """A system of 4 equations and the determinant of its matrix."""
    a, (b,) = regular(torch, 4, 4), plain(torch, (4, 2))
    return lambda: torch.linalg.solve(a, b) * torch.linalg.det(a)


@algebra
def fft_small(torch):
    """Spectra of 12 pictures of 14 x 14, and back."""
    (a,) = plain(torch, (12, 14, 14))
    return lambda: torch.fft.irfft2(torch.fft.rfft2(a), (14, 14))


@algebra
def distances_by_absolutes(torch):
    """Sums of absolute differences between 64 rows of 16 and 64 others."""
    a, b = plain(torch, (64, 16), (64, 16))
    return lambda: torch.cdist(a, b, 1.0)
