"""Views that native code finds outside of graphs: several of one op, and what composites turned out to be."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

MULTI_VIEW: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    "unbind": (lambda x: x.unbind(1), lambda a: np.moveaxis(a, 1, 0)),
    "split": (lambda x: x.split(3, 2), lambda a: np.split(a, [3], 2)),
    "split_sizes": (lambda x: x.split((1, 3), 1), lambda a: np.split(a, [1], 1)),
    "split_list": (lambda x: x.split([3, 1], 1), lambda a: np.split(a, [3], 1)),
    "hsplit_list": (lambda x: x.hsplit([1]), lambda a: np.split(a, [1], 1)),
    "chunk": (lambda x: x.chunk(2, -1), lambda a: np.split(a, [3], 2)),
    "tensor_split": (lambda x: x.tensor_split(2, 1), lambda a: np.split(a, [2], 1)),
    "hsplit": (lambda x: x.hsplit(2), lambda a: np.split(a, [2], 1)),
}
ONE: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    "flatten": (lambda x: x.flatten(1), lambda a: a.reshape(len(a), -1)),
    "ravel": (lambda x: x.ravel(), lambda a: a.ravel()),
    "unflatten": (lambda x: x.unflatten(1, (2, 2)), lambda a: a.reshape(len(a), 2, 2, -1)),
    "unflatten_list": (lambda x: x.unflatten(1, [2, 2]), lambda a: a.reshape(len(a), 2, 2, -1)),
    "permute_list": (lambda x: x.permute([2, 0, 1]), lambda a: a.transpose(2, 0, 1)),
    "movedim": (lambda x: x.movedim(0, -1), lambda a: np.moveaxis(a, 0, -1)),
    "adjoint": (lambda x: x.adjoint(), lambda a: np.swapaxes(a, 1, 2).conj()),
    "atleast_3d": (lambda x: sg.atleast_3d(x), lambda a: a),
}
DTYPES = [sg.float32, sg.int64, sg.complex64]


def numbers(dtype: Any) -> Any:
    """A tensor, one whose elements lie apart, and a part of it."""
    base = (sg.arange(60) * (1 + 0.5j if dtype.is_complex else 1)).to(dtype)
    return base[:48].view(2, 4, 6), base[:48].view(4, 2, 6).transpose(0, 1), base[12:].view(2, 4, 6)


@pytest.mark.parametrize("name", MULTI_VIEW)
@pytest.mark.parametrize("recorded", [True, False])
def test_several_views(name: str, recorded: bool) -> None:
    """Each call gives what the first one gave, with the same base, and writes are seen."""
    call, reference = MULTI_VIEW[name]
    for dtype in DTYPES:
        for x in numbers(dtype):
            for _ in range(3):
                with sg.set_grad_enabled(recorded):
                    found = call(x)
                expected = reference(x.numpy())
                assert isinstance(found, tuple) and len(found) == len(expected)
                for view, part in zip(found, expected, strict=True):
                    np.testing.assert_array_equal(view.numpy(), part)
                    assert view._is_view() and view._base is x._base
                    assert view.data_ptr() == x.data_ptr() + (part.__array_interface__["data"][0] - pointer(x))
                found[0].add_(1)
                np.testing.assert_array_equal(found[0].numpy(), reference(x.numpy())[0])


def pointer(x: Any) -> int:
    """Where a tensor's memory begins, as NumPy has it."""
    return int(x.numpy().__array_interface__["data"][0])


@pytest.mark.parametrize("name", MULTI_VIEW)
def test_several_views_of_what_requires_grad(name: str) -> None:
    """They are recorded, also where the layout has been seen outside of a graph."""
    call, _ = MULTI_VIEW[name]
    for _ in range(3):
        x = sg.randn(2, 4, 6)
        call(x)
        x.requires_grad_(True)
        parts = call(x)
        assert all(part.requires_grad for part in parts)
        (parts[0] * 3).sum().backward()
        assert call(x.grad)[0].tolist() == sg.full_like(parts[0], 3).tolist()
        assert not call(x.grad)[1].any()


@pytest.mark.parametrize("name", ["unbind", "split", "chunk"])
def test_the_marks_of_views(name: str) -> None:
    """One of several views may not be written to once it would require grad."""
    call, _ = MULTI_VIEW[name]
    weight = sg.ones(1, requires_grad=True)
    for _ in range(3):
        part = call(sg.zeros(2, 4, 6))[0]
        with pytest.raises(RuntimeError, match="multiple views"):
            part.add_(weight)
        with sg.no_grad():
            part = call(sg.zeros(2, 4, 6))[0]
        with pytest.raises(RuntimeError, match="no_grad"):
            part.add_(weight)


@pytest.mark.parametrize("name", ONE)
def test_what_composites_turn_out_to_be(name: str) -> None:
    """A view where there is one, and a copy else, for each dtype; recorded where the tensor requires grad."""
    call, reference = ONE[name]
    for dtype in DTYPES:
        for x in numbers(dtype):
            for _ in range(3):
                found = call(x)
                np.testing.assert_array_equal(found.numpy(force=True), reference(x.numpy()))
                assert found.dtype is dtype
    for _ in range(3):
        x = sg.randn(2, 4, 6)
        call(x)
        x.requires_grad_(True)
        call(x).sum().backward()
        assert x.grad.tolist() == sg.ones(2, 4, 6).tolist()


def test_writes_go_through_the_views_of_composites() -> None:
    """Memory and the count of writes are shared."""
    for _ in range(3):
        x = sg.zeros(2, 3)
        y = x.flatten()
        y[4] = 5
        assert x.tolist() == [[0, 0, 0], [0, 5, 0]] and x._version == y._version > 0
        assert sg.zeros(4).flatten().shape == (4,)


def test_lists_are_read_when_they_are_given() -> None:
    """A list may be changed after a call, and by whoever calls next; what is no int is refused each time."""
    x, sizes = sg.arange(24), [4, 6]
    for _ in range(3):
        first = x.view(sizes)
        sizes.reverse()
        assert (first.shape, x.view(sizes).shape) == (tuple(reversed(sizes)), tuple(sizes))
        for wrong in ([4.0, 6], [True, 24], ["4", 6]):
            with pytest.raises((TypeError, RuntimeError)):
                x.view(wrong)
