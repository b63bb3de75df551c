"""Targets of writes: out= and in-place forms check shape, dtype, overlap and broadcasting, and name the op."""

from typing import Any

import pytest

import specgrad as sg


def test_out_receives_the_result() -> None:
    """out= is filled, returned itself, counted as written, and cast to its own dtype."""
    a, out = sg.tensor([1.0, 2.0]), sg.zeros(2, dtype=sg.float64)
    found = sg.add(a, a, out=out)
    assert found is out and out.tolist() == [2.0, 4.0] and out._version == 1
    assert out.dtype is sg.float64


def test_out_of_many_kinds_of_ops() -> None:
    """Element-wise ops, reductions, products and joins all take out=, of any layout."""
    a = sg.arange(6.0).reshape(2, 3)
    out = sg.zeros(3, 2).T
    assert sg.exp(a, out=out) is out and out.tolist() == a.exp().tolist()
    assert sg.sum(a, 1, out=sg.zeros(2)).tolist() == [3.0, 12.0]
    assert sg.matmul(a, a.T, out=sg.zeros(2, 2)).tolist() == (a @ a.T).tolist()
    assert sg.mm(a, a.T, out=sg.zeros(2, 2)).tolist() == (a @ a.T).tolist()
    assert sg.cat([a, a], out=sg.zeros(4, 3)).tolist() == sg.cat([a, a]).tolist()


def test_empty_out_is_resized() -> None:
    """An out= without elements takes the result's shape."""
    out = sg.empty(0)
    sg.mul(sg.ones(2, 2), 3, out=out)
    assert out.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_out_of_another_shape() -> None:
    """An out= that has elements is resized too, with a warning."""
    out = sg.zeros(3)
    with pytest.warns(UserWarning, match=r"add\(\): An output .* was resized since it had shape \[3\].* \[2\]"):
        assert sg.add(sg.ones(2), 1, out=out) is out
    assert out.tolist() == [2.0, 2.0] and out._version == 1


VIEWS: dict[str, tuple[Any, list[float]]] = {  # of 0 to 5; what the base holds once (7, 8, 9) has been written there
    "the first": (lambda base: base[:2], [7.0, 8.0, 9.0, 3.0, 4.0, 5.0]),
    "with steps": (lambda base: base[1::4], [0.0, 7.0, 8.0, 9.0, 4.0, 5.0]),
    "nothing": (lambda base: base[2:2], [0.0, 1.0, 7.0, 8.0, 9.0, 5.0]),
    "beyond the end": (lambda base: base[4:], [0.0, 1.0, 2.0, 3.0, 7.0, 8.0]),
    "detached": (lambda base: base.detach(), [7.0, 8.0, 9.0, 3.0, 4.0, 5.0]),
}


@pytest.mark.filterwarnings("ignore:add.*resized")
@pytest.mark.parametrize("view", VIEWS)
def test_out_is_a_view_of_another_shape(view: str) -> None:
    """It gets the shape where it begins; memory that is too short grows."""
    base = sg.arange(6.0)
    out = VIEWS[view][0](base)
    assert sg.add(sg.tensor([6.0, 7.0, 8.0]), 1, out=out) is out
    assert out.tolist() == [7.0, 8.0, 9.0] and out.stride() == (1,)
    assert base.tolist() == VIEWS[view][1]


def test_an_out_that_cannot_take_the_dtype_keeps_its_shape() -> None:
    out = sg.zeros(3, dtype=sg.int64)
    with pytest.raises(RuntimeError, match=r"can't be cast to the desired output type"):
        sg.add(sg.ones(2), 1, out=out)
    assert out.tolist() == [0, 0, 0]


def test_out_may_be_an_input() -> None:
    """Reading and writing the same tensor gives the result of reading first."""
    a = sg.tensor([1.0, 2.0, 3.0])
    sg.mul(a, a, out=a)
    assert a.tolist() == [1.0, 4.0, 9.0]
    sg.add(a[:1], 1, out=a[1:2])
    assert a.tolist() == [1.0, 2.0, 9.0]
    with pytest.raises(RuntimeError, match=r"add\(\): .*some elements of the input tensor and the written-to tensor"):
        sg.add(a[:2], 1, out=a[1:])


BAD_OUT: list[tuple[type[Exception], str, Any]] = [
    (TypeError, r"add\(\): argument 'out' must be Tensor, not list", lambda a: sg.add(a, a, out=[1.0])),
    (RuntimeError, r"add\(\).*Long|add\(\).*int64", lambda a: sg.add(a, a, out=sg.zeros(2, dtype=sg.int64))),
    (RuntimeError, r"exp\(\).*cast|exp\(\).*float32.*int64", lambda a: sg.exp(a, out=sg.zeros(2, dtype=sg.int64))),
    (
        RuntimeError,
        r"add\(\).*out=.*automatic differentiation",
        lambda a: sg.add(a.requires_grad_(), a, out=sg.zeros(2)),
    ),
]


@pytest.mark.parametrize(("error", "match", "call"), BAD_OUT, ids=[e[1] for e in BAD_OUT])
def test_bad_out(error: type[Exception], match: str, call: Any) -> None:
    """A target that cannot take the result is an error that names the op and what does not fit."""
    with pytest.raises(error, match=match):
        call(sg.tensor([1.0, 2.0]))


BAD_IN_PLACE: list[tuple[str, Any]] = [
    (r"add_\(\): output with shape \[2\].*broadcast shape \[3, 2\]", lambda: sg.ones(2).add_(sg.ones(3, 2))),
    (r"mul_\(\).*\[1\].*\[2\]", lambda: sg.ones(1).mul_(sg.ones(2))),
    (r"add_\(\).*float32.*int64", lambda: sg.ones(2, dtype=sg.int64).add_(sg.ones(2))),
    (r"div_\(\).*float32.*int64", lambda: sg.ones(2, dtype=sg.int64).div_(2)),
    (r"mul_\(\).*complex64.*float32", lambda: sg.ones(2).mul_(1j)),
    (r"exp_\(\).*float32.*int64", lambda: sg.ones(2, dtype=sg.int64).exp_()),
    (r"add_\(\).*single memory location", lambda: sg.ones(1).expand(3).add_(1)),
    (r"exp_\(\).*single memory location", lambda: sg.ones(2).as_strided((3, 2), (0, 1)).exp_()),
    (r"copy_\(\).*\[2\].*\[3\]", lambda: sg.ones(2).copy_(sg.ones(3))),
    (r"add_\(\).*\[2\].*\[3\]|size of tensor", lambda: sg.ones(2).add_(sg.ones(3))),
]


@pytest.mark.parametrize(("match", "call"), BAD_IN_PLACE, ids=[e[0] for e in BAD_IN_PLACE])
def test_bad_in_place(match: str, call: Any) -> None:
    """In-place ops refuse to change shape or kind of dtype, and memory that overlaps itself; they name the op."""
    with pytest.raises(RuntimeError, match=match):
        call()


def test_failed_write_changes_nothing() -> None:
    """After a refused in-place op values and version are as they were."""
    x = sg.ones(2, dtype=sg.int64)
    with pytest.raises(RuntimeError):
        x.mul_(1.5)
    assert x.tolist() == [1, 1] and x._version == 0


def test_in_place_broadcasts_its_argument() -> None:
    """The argument may be smaller; the dtype of the target stays, also for floats into narrower floats."""
    x = sg.ones(2, 3, dtype=sg.float16)
    x.add_(sg.tensor([1.0, 2.0, 3.0], dtype=sg.float64)).mul_(sg.tensor(2.0))
    assert x.dtype is sg.float16 and x.tolist() == [[4.0, 6.0, 8.0]] * 2


SHIFTED: list[Any] = [
    lambda x: x.view(-1)[1:].copy_(x.view(-1)[:-1]),
    lambda x: x.view(-1)[1:].add_(x.view(-1)[:-1]),
    lambda x: x.add_(x.T),
    lambda x: x.mul_(x[0]),
    lambda x: x.lerp_(x[0], 0.5),
    lambda x: x.clamp_(x[0], x),
    lambda x: x.index_put_((sg.tensor([0, 1, 2]),), x),
    lambda x: x.index_add_(0, sg.tensor([0]), x[1:2]),
    lambda x: x.scatter_(0, sg.zeros(3, 3, dtype=sg.int64), x),
    lambda x: x.__setitem__(slice(0, 2), x[1:]),
]


@pytest.mark.parametrize("write", SHIFTED)
def test_overlapping_source_and_target(write: Any) -> None:
    """A source that lies shifted in the memory that is written to is refused, and nothing is written."""
    x = sg.arange(9.0).reshape(3, 3)
    with pytest.raises(
        RuntimeError, match=r"_\(\): .*some elements of the input tensor and the written-to tensor refer"
    ):
        write(x)
    assert x.tolist() == sg.arange(9.0).reshape(3, 3).tolist() and x._version == 0


def test_source_in_the_same_places() -> None:
    """The very memory that is written to may be read, and so may what interleaves with it, or numbers from it."""
    x = sg.arange(4.0).reshape(2, 2)
    x.add_(x).mul_(x.view(2, 2)).sub_(x.detach().clone())
    assert x.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    x = sg.arange(4.0)
    x[::2].add_(x[1::2])
    x.masked_fill_(x > 2, x[0]).fill_(x[1])
    assert x.tolist() == [1.0, 1.0, 1.0, 1.0]


def test_one_value_may_be_written_to_overlapping_memory() -> None:
    """fill_ and zero_ write the same number everywhere, so elements may share memory; gradients know of it."""
    x = sg.ones(2, 3, requires_grad=True)
    y = x * 1
    y[:, :1].expand(2, 4).zero_()
    assert y.tolist() == [[0.0, 1.0, 1.0]] * 2
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 1.0]] * 2


def test_setitem_errors() -> None:
    """Assignments of the wrong shape, type or index are errors of PyTorch's classes."""
    x = sg.zeros(2, 3)
    with pytest.raises(RuntimeError, match="shape|size|expand"):
        x[0] = sg.ones(2)
    with pytest.raises(TypeError, match="str"):
        x[0] = "a"
    with pytest.raises(IndexError, match="out of bounds"):
        x[2] = 0
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, 0] = 0


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_written(name: str, lib: Any) -> None:
    """The frequencies of transforms take `out`, in its dtype."""
    out = lib.empty(0, dtype=lib.float64)
    function = getattr(lib.fft, name)
    assert function(6, 0.5, out=out) is out
    assert out.tolist() == function(6, 0.5, dtype=lib.float64).tolist()
