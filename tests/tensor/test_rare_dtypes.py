"""Dtypes that are stored more often than computed in: unsigned integers, complex32 and 8-bit floats."""

import io
import operator
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg

UNSIGNED = ["uint16", "uint32", "uint64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2"]
RARE = [*UNSIGNED, "complex32", *FLOAT8]
pytestmark = pytest.mark.cpu("kernels of devices do not know these dtypes")


def kind(name: str) -> Any:
    return getattr(sg, name)


def near_the_top(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of an unsigned dtype, whose numbers no narrower or signed dtype holds."""
    top = np.iinfo(name).max
    return np.array([top, top - 6, 7, 9], name), np.array([top - 1, 3, top // 2 + 5, 2], name)


BINARY = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge")},
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("name", UNSIGNED)
@pytest.mark.parametrize("op", BINARY)
def test_arithmetic_of_unsigned_integers(op: str, name: str) -> None:
    """Arithmetic and comparisons are NumPy's, modulo 2^n, also beyond what signed integers of the width hold."""
    x, y = near_the_top(name)
    found = getattr(sg, op)(sg.from_numpy(x), sg.from_numpy(y)).numpy()
    right = BINARY[op](x, y)
    assert found.dtype == right.dtype and (found == right).all()


@pytest.mark.parametrize("name", UNSIGNED)
def test_numbers_beside_unsigned_integers(name: str) -> None:
    """A Python integer takes the tensor's dtype, negative ones modulo 2^n; a float makes it a float."""
    x, _ = near_the_top(name)
    t, top = sg.from_numpy(x), int(np.iinfo(name).max)
    assert (t + 3).tolist() == [(int(n) + 3) % (top + 1) for n in x]
    assert (t * -1).tolist() == [-int(n) % (top + 1) for n in x]
    assert (t == top).tolist() == [True, False, False, False]
    assert sg.add(t, t, alpha=3).tolist() == [4 * int(n) % (top + 1) for n in x]
    assert (t * 0.5).dtype is sg.float32
    assert (-t).tolist() == (-x).tolist() and (~t).tolist() == (~x).tolist()
    assert (t << 2).tolist() == (x << np.array(2, name)).tolist()


@pytest.mark.parametrize("name", UNSIGNED)
def test_orders_of_unsigned_integers(name: str) -> None:
    """Orders, extremes and places know that the first bit is no sign."""
    x, y = near_the_top(name)
    t, right = sg.from_numpy(x), np.sort(x)
    assert t.sort().values.tolist() == right.tolist()
    assert t.topk(2).values.tolist() == right[::-1][:2].tolist()
    assert (t.max().item(), t.min().item(), t.argmax().item()) == (x.max(), x.min(), x.argmax())
    assert t.unique().tolist() == right.tolist()
    assert sg.searchsorted(sg.from_numpy(right), sg.from_numpy(y)).tolist() == np.searchsorted(right, y).tolist()
    assert t.clamp(8, int(right[-1]) - 1).tolist() == np.clip(x, 8, right[-1] - 1).tolist()
    assert t.repeat(5000).sort().values.tolist() == np.sort(np.tile(x, 5000)).tolist()


@pytest.mark.parametrize("name", UNSIGNED)
def test_sums_of_unsigned_integers(name: str) -> None:
    """Sums are int64, as those of all integers in PyTorch."""
    x, _ = near_the_top(name)
    wide = x.astype(np.int64)
    assert sg.from_numpy(x).sum().dtype is sg.int64
    assert sg.from_numpy(x).sum().item() == wide.sum()
    assert sg.from_numpy(x).cumsum(0).tolist() == wide.cumsum().tolist()


def test_shifts_to_the_right() -> None:
    """No sign is shifted in."""
    assert (sg.tensor([2**32 - 1], dtype=sg.uint32) >> 4).tolist() == [(2**32 - 1) >> 4]
    assert (sg.tensor([2**16 - 1], dtype=sg.uint16) >> 4).tolist() == [(2**16 - 1) >> 4]


@pytest.mark.parametrize("name", UNSIGNED)
def test_creation_of_unsigned_integers(name: str) -> None:
    """Every creation function takes them; what does not fit is an error, and -1 wraps around as in C."""
    top = int(np.iinfo(name).max)
    assert sg.tensor([0, top], dtype=kind(name)).tolist() == [0, top]
    assert sg.full((2,), top, dtype=kind(name)).tolist() == [top, top]
    assert sg.full((1,), -1, dtype=kind(name)).tolist() == [top]
    assert sg.arange(4, dtype=kind(name)).numpy().dtype == name
    assert sg.randint(0, 9, (50,), dtype=kind(name)).max().item() < 9
    assert sg.zeros(2, dtype=kind(name)).type() == f"specgrad.UI{name[2:]}Tensor"
    with pytest.raises(RuntimeError, match="without overflow"):
        sg.full((1,), top + 1, dtype=kind(name))
    with pytest.raises(NotImplementedError, match="not implemented for 'UInt"):
        sg.rand(2, dtype=kind(name))
    assert (sg.iinfo(kind(name)).min, sg.iinfo(kind(name)).max) == (0, top)


@pytest.mark.parametrize("name", UNSIGNED)
def test_writes_to_unsigned_integers(name: str) -> None:
    """Indices, masks and ops in place write numbers of all bits."""
    x, _ = near_the_top(name)
    t, top = sg.from_numpy(x.copy()), int(np.iinfo(name).max)
    t[1] = top
    t[sg.tensor([2])] = 5
    t.masked_fill_(t == 9, top - 1)
    assert t.tolist() == [top, top, 5, top - 1]
    t.add_(1)
    assert t.tolist() == [0, 0, 6, top]
    assert t.fill_(top).tolist() == [top] * 4
    assert t.view(kind(name[1:])).tolist() == [-1] * 4


def test_promotion() -> None:
    """Unsigned integers promote with floats, complex32 as float16 does, 8-bit floats with nothing."""
    assert sg.promote_types(sg.uint16, sg.float16) is sg.float16
    assert sg.promote_types(sg.float64, sg.uint64) is sg.float64
    assert sg.promote_types(sg.complex32, sg.float16) is sg.complex32
    assert sg.promote_types(sg.int64, sg.complex32) is sg.complex32
    assert sg.promote_types(sg.complex32, sg.bfloat16) is sg.complex64
    assert sg.promote_types(sg.complex32, sg.float64) is sg.complex128
    with pytest.raises(RuntimeError, match="not supported, attempted to promote UInt16 and Int"):
        sg.promote_types(sg.uint16, sg.int32)
    with pytest.raises(RuntimeError, match="Promotion for Float8 Types is not supported, attempted to promote"):
        sg.ones(2).to(sg.float8_e5m2) * sg.ones(2)
    assert sg.can_cast(sg.int8, sg.uint16) and not sg.can_cast(sg.float32, sg.uint64)


PAIRS = np.array([1 + 2j, 3 - 4j, 0.1j, 1000 + 0.01j], np.complex64)


def rounded(numbers: np.ndarray) -> list[complex]:
    """Complex numbers whose parts are rounded to float16."""
    parts = np.stack([numbers.real, numbers.imag], -1).astype(np.float16).astype(np.float64)
    return [complex(*pair) for pair in parts]


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_arithmetic_of_complex32(op: str) -> None:
    """Numbers are rounded to float16, computed in complex64, and rounded once."""
    x = sg.from_numpy(PAIRS).to(sg.complex32)
    assert x.tolist() == rounded(PAIRS)
    wide = np.array(rounded(PAIRS), np.complex64)
    function = getattr(operator, {"div": "truediv"}.get(op, op))
    found = getattr(sg, op)(x, x.flip(0))
    assert found.dtype is sg.complex32
    assert np.allclose(found.tolist(), rounded(function(wide, wide[::-1])), rtol=1e-3)


def test_parts_of_complex32() -> None:
    """The parts are float16 views of the same memory; two float16 make such a number."""
    x = sg.complex(sg.tensor([1.0, 2.0]).half(), sg.tensor([3.0, 4.0]).half())
    assert x.dtype is sg.complex32 is sg.chalf and x.itemsize == 4
    assert sg.view_as_real(x).dtype is sg.float16 and sg.view_as_real(x).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert sg.equal(sg.view_as_complex(sg.view_as_real(x)), x)
    x.imag.zero_()
    assert x.tolist() == [1, 2] and x.abs().dtype is sg.float16
    assert (sg.tensor([1.5]).half() * 1j).tolist() == [1.5j]
    assert sg.ones(2).chalf().dtype is sg.complex32 and x[0].item() == 1 + 0j
    assert repr(sg.tensor([1 + 2j], dtype=sg.chalf)) == "tensor([1.+2.j], dtype=specgrad.complex32)"
    with pytest.raises(TypeError, match="Got unsupported ScalarType ComplexHalf"):
        x.numpy()


def test_gradients_of_complex32() -> None:
    """|z|^2 has the gradient 2 z."""
    z = sg.tensor([1 + 2j, 3 - 4j], dtype=sg.complex32, requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad is not None and z.grad.dtype is sg.complex32
    assert z.grad.tolist() == [2 + 4j, 6 - 8j]


def test_creation_of_complex32() -> None:
    """Numbers that are drawn have float16 parts; ones have no imaginary part."""
    assert sg.full((2,), 1 + 2j, dtype=sg.complex32).tolist() == [1 + 2j] * 2
    assert sg.eye(2, dtype=sg.complex32).tolist() == [[1, 0], [0, 1]]
    assert sg.ones(2, dtype=sg.complex32).sum().item() == 2
    sampled = sg.randn(4000, dtype=sg.complex32, generator=sg.Generator().manual_seed(1))
    assert sampled.real.dtype is sg.float16
    assert abs(sampled.abs().double().square().mean().item() - 1) < 0.1


@pytest.mark.parametrize("name", FLOAT8)
def test_casts_to_float8(name: str) -> None:
    """float32 is rounded to the nearest as ml_dtypes rounds it; what is too large is the largest number of e4m3fn."""
    x = np.random.default_rng(3).standard_normal(5000).astype(np.float32) * 30
    found = sg.from_numpy(x).to(kind(name))
    assert (found.view(sg.uint8).numpy() == x.astype(getattr(ml_dtypes, name)).view(np.uint8)).all()
    assert sg.equal(found.float().to(kind(name)), found)
    large = sg.tensor([1e9, -1e9, float("nan")]).to(kind(name)).tolist()
    largest = 448.0 if name == "float8_e4m3fn" else float("inf")
    assert large[:2] == [largest, -largest] and large[2] != large[2]
    assert sg.finfo(kind(name)).max == {"float8_e4m3fn": 448, "float8_e5m2": 57344}[name]


@pytest.mark.parametrize("name", FLOAT8)
def test_what_float8_refuses(name: str) -> None:
    """What computes refuses them by PyTorch's name of the dtype."""
    x = sg.ones(2, 2).to(kind(name))
    for call in (lambda: x + x, lambda: x.exp(), lambda: x.sum(), lambda: x @ x, lambda: x < x, lambda: x.relu()):
        with pytest.raises(NotImplementedError, match=f"not implemented for '{name.capitalize()}'"):
            call()


@pytest.mark.parametrize("name", RARE)
def test_elements_move(name: str) -> None:
    """Views, indices, copies and joins move elements of every dtype."""
    expected = np.minimum(np.arange(12), 8).reshape(3, 4)
    x = sg.from_numpy(expected).to(kind(name))
    ways = {
        "t": (x.t(), expected.T),
        "contiguous": (x.t().contiguous(), expected.T),
        "index": (x[sg.tensor([2, 0])], expected[[2, 0]]),
        "mask": (x[x == 5], expected[expected == 5]),
        "cat": (sg.cat([x, x]), np.concatenate([expected] * 2)),
        "flip": (x.flip(0), expected[::-1]),
        "gather": (x.gather(1, sg.tensor([[1], [2], [3]])), np.array([[1], [6], [8]])),
        "clone": (x.clone(), expected),
        "pad": (sg.nn.functional.pad(x, (1, 0)), np.pad(expected, ((0, 0), (1, 0)))),
        "pickle": (pickle.loads(pickle.dumps(x)), expected),
    }
    for way, (found, right) in ways.items():
        assert found.dtype is kind(name), way
        assert found.to(sg.int64).tolist() == right.tolist(), way
    assert sg.equal(x, x.clone()) and x.nonzero().shape == (11, 2)
    assert x.untyped_storage().nbytes() == 12 * x.itemsize


@pytest.mark.parametrize("name", RARE)
def test_casts_between_all_dtypes(name: str) -> None:
    """Small numbers survive a cast from and to every dtype."""
    for other in ("uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64", "complex64", *RARE):
        x = sg.tensor([0, 1, 5, 7]).to(kind(other)).to(kind(name))
        assert x.dtype is kind(name) and x.to(sg.int32).tolist() == [0, 1, 5, 7], other
    assert sg.tensor([True, False]).to(kind(name)).to(sg.bool).tolist() == [True, False]


@pytest.mark.parametrize("name", RARE)
def test_files(name: str) -> None:
    """Files hold them, views among them."""
    x = sg.arange(6).view(2, 3).to(kind(name))
    file = io.BytesIO()
    sg.save({"x": x, "row": x[1]}, file)
    file.seek(0)
    found = sg.load(file)
    assert found["x"].dtype is kind(name) and sg.equal(found["x"], x) and sg.equal(found["row"], x[1])


@pytest.mark.parametrize("name", [*RARE, "bfloat16"])
def test_dlpack(name: str) -> None:
    """Capsules say the dtype, also of elements that NumPy does not know; memory is shared."""
    x = sg.arange(6).view(2, 3).to(kind(name)).t()
    found = sg.from_dlpack(Exporter(x))
    assert found.dtype is kind(name) and sg.equal(found, x) and found.data_ptr() == x.data_ptr()


class Exporter:
    """An array of some other library."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __dlpack__(self, **options: Any) -> Any:
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("name", RARE)
def test_beside_pytorch(name: str) -> None:
    """Casts, bytes, files, capsules and printing are PyTorch's."""
    torch = pytest.importorskip("torch")
    numbers = [0.0, 1.5, 2.25, 100.0, 3000.0]
    theirs, ours = torch.tensor(numbers).to(getattr(torch, name)), sg.tensor(numbers).to(kind(name))
    assert ours.view(sg.uint8).tolist() == theirs.view(torch.uint8).tolist()
    assert repr(ours).replace("specgrad", "torch") == repr(theirs)
    assert sg.from_dlpack(theirs).tolist() == ours.tolist()
    file = io.BytesIO()
    torch.save(theirs, file)
    file.seek(0)
    assert sg.equal(sg.load(file), ours)
    file = io.BytesIO()
    sg.save(ours, file)
    file.seek(0)
    assert torch.load(file).tolist() == theirs.tolist()
