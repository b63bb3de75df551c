"""Views whose elements are others over the same bytes: complex numbers as pairs, pairs as those, and any dtype."""

import copy
import gc
import io
import pickle
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.tensor import dtype_views as retyping
from tests.autograd.inplace.dtype_region_programs import numbers, weights


def halves(z: Any) -> Any:
    """Writes to parts, some of them read again."""
    y = z * z
    y.real.mul_(y.imag.clone())
    y.imag[1:] = y.real[:-1].clone() * 2
    return sg.view_as_real(y).mul_(sg.view_as_real(z)).sum()


def concatenated(x: Any) -> Any:
    """Writes to complex numbers that lie in a base, which begins at an odd place of its memory."""
    y = sg.zeros(6, dtype=x.dtype)[1:].detach().add_(x)
    z = sg.view_as_complex(y[1:].view(2, 2))
    z.mul_(z.clone() * 1j)
    y[2:].mul_(y[1:4] + 1)
    return (y * y).sum() + z.real[0] * z.imag[1]


def test_gradients_of_writes_differentiate_again() -> None:
    """At second order too, and in forward mode."""
    z = sg.tensor(numbers((3,)), requires_grad=True)
    x = sg.tensor(weights((5,), 1), requires_grad=True)
    for function, at in ((halves, z), (concatenated, x)):
        assert sg.autograd.gradcheck(function, at, check_forward_ad=True)
        assert sg.autograd.gradgradcheck(function, at)


def test_a_base_that_begins_between_two_complex_numbers() -> None:
    """Complex numbers lie at even places of the memory, whatever place the base begins at."""
    x = sg.tensor([1.0, 2.0, 3.0, 4.0, 5.0], requires_grad=True)
    base = sg.zeros(6)[1:].detach().add_(x)
    sg.view_as_complex(base[1:].view(2, 2)).mul_(1j)
    (base * sg.tensor([1.0, 10.0, 100.0, 1000.0, 10000.0])).sum().backward()
    assert base.tolist() == [1.0, -3.0, 2.0, -5.0, 4.0]
    assert x.grad.tolist() == [1.0, 100.0, -10.0, 10000.0, -1000.0]


def test_parts_are_assigned() -> None:
    """`z.real = x` and `z.imag *= 2` write to the parts, and are differentiated."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    z = sg.zeros(2, dtype=sg.complex64)
    z.real = x
    z.imag = 3
    z.imag *= 2
    assert z.tolist() == [1 + 6j, 2 + 6j] and z._version == 4
    (z * (1 - 2j)).real.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="imag"):
        x.imag = 1


def test_what_is_saved_is_guarded() -> None:
    """A write to a part is one to what was saved of the whole."""
    z = sg.tensor(numbers((3,)), requires_grad=True).clone()
    y = z * z
    z.imag.zero_()
    with pytest.raises(RuntimeError, match="last written to by zero_"):
        y.real.sum().backward()


def test_bytes_as_another_dtype() -> None:
    """The last dimension grows or shrinks; the memory and its count of writes are shared, the graph is not."""
    x = sg.tensor(weights((2, 4), 0), requires_grad=True)
    for dtype, size in ((sg.int64, 4), (sg.float16, 16), (sg.complex128, 2), (sg.bool, 32), (sg.float64, 4)):
        found = x.view(dtype)
        assert found.shape == (2, size) and found.dtype is dtype and not found.requires_grad and found._base is None
        assert found.numpy().tobytes() == x.detach().numpy().tobytes() and found.data_ptr() == x.data_ptr()
    y = x * 1
    y.view(sg.int64)[0].zero_()
    assert y[0].tolist() == [0.0] * 4 and y._version == 1 and y.requires_grad
    assert x.detach().t().view(sg.int64).stride() == (1, 4)
    assert sg.arange(8, dtype=sg.uint8)[4:].view(sg.int32).storage_offset() == 1
    assert sg.arange(5, dtype=sg.uint8)[:4].view(sg.int32).tolist() == [50462976]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sg.tensor(1.0).view(sg.int64), r"view\(\): self.dim\(\) cannot be 0 to view"),
        (lambda: sg.ones(2, 3).view(sg.int64), r"self.size\(-1\) must be divisible by 2 .* but got 3"),
        (lambda: sg.ones(4, 2).t().view(sg.int8), r"self.stride\(-1\) must be 1 .* but got 2"),
        (lambda: sg.ones(5)[1:].view(sg.int64), r"self.storage_offset\(\) must be divisible by 2 .* but got 1"),
        (lambda: sg.ones(2, 3)[:, :2].view(sg.int64), r"self.stride\(0\) must be divisible by 2 .* but got 3"),
        (lambda: sg.view_as_complex(sg.ones(4, 2)[:, ::2]), r"expected a last dimension of size 2"),
        (lambda: sg.view_as_complex(sg.ones(2, 2).t()), r"last dimension with stride 1"),
        (lambda: sg.view_as_complex(sg.ones(2, 3)[:, :2]), r"stride divisible by 2 for all but last"),
        (lambda: sg.view_as_complex(sg.ones(5)[1:].view(2, 2)), r"storage_offset divisible by 2, but got 1"),
        (lambda: sg.view_as_complex(sg.ones(2, 2).int()), r"expected a float16, float32 or float64 tensor"),
        (lambda: sg.imag(sg.ones(2)), r"imag\(\) is not implemented for tensors with non-complex dtypes"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    """Layouts under which elements of the other dtype do not lie."""
    with pytest.raises(RuntimeError, match=message):
        call()


def saved(value: Any) -> Any:
    """By `save` and `load`."""
    file = io.BytesIO()
    sg.save(value, file)
    file.seek(0)
    return sg.load(file)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), saved])
def test_copies_share_as_originals_do(way: Any) -> None:
    """A tensor and a view of its bytes have common memory also when they are loaded or copied."""
    z = sg.tensor(numbers((3,)))
    for given in ([z, z.imag, z.view(sg.int64)], [z.imag, z]):
        found = way(given)
        assert [t.dtype for t in found] == [t.dtype for t in given]
        assert all(a.equal(b) and a.stride() == b.stride() for a, b in zip(found, given, strict=True))
        found[0].mul_(2)
        imag = found[1].imag if found[1].is_complex() else found[1]
        assert imag.equal(2 * z.imag)


def test_overlaps_are_seen_between_views_that_were_made_apart() -> None:
    """Views of one dtype know that they share memory; what is kept for that goes with them."""
    z = sg.tensor(numbers((4,)))
    with pytest.raises(RuntimeError, match="single memory location"):
        sg.view_as_real(z)[1:].add_(sg.view_as_real(z)[:-1])
    assert sg.view_as_complex(sg.view_as_real(z))._storage is z._storage
    assert z.real.as_strided((8,), (1,), 0).equal(sg.view_as_real(z).view(8))
    del z
    gc.collect()
    assert not retyping._arrays and not retyping._origins
