"""Conjugates and negatives as views: marks, memory, writes and what is refused, in specgrad and in PyTorch."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg

NUMBERS = np.array([[1 + 2j, 3 - 1j], [0.5j, -2 + 1j]], np.complex64)

# What is made of x and its conjugate y: the marks, whether it lies in the memory of x, and what it shows.
MADE: dict[str, tuple[Callable[[Any, Any], Any], bool, bool, bool, Callable[[Any], Any]]] = {
    "conj": (lambda x, y: y, True, False, True, np.conj),
    "conj of conj": (lambda x, y: y.conj(), False, False, True, lambda a: a),
    "mH": (lambda x, y: x.mH, True, False, True, lambda a: a.conj().T),
    "H of conj": (lambda x, y: y.H, False, False, True, lambda a: a.T),
    "adjoint": (lambda x, y: x.adjoint(), True, False, True, lambda a: a.conj().T),
    "transpose": (lambda x, y: y.transpose(0, 1), True, False, True, lambda a: a.conj().T),
    "reshape": (lambda x, y: y.reshape(4), True, False, True, lambda a: a.conj().reshape(4)),
    "reshape that copies": (lambda x, y: y.T.reshape(4), False, False, False, lambda a: a.conj().T.reshape(4)),
    "view": (lambda x, y: y.view(4, 1), True, False, True, lambda a: a.conj().reshape(4, 1)),
    "select": (lambda x, y: y[1], True, False, True, lambda a: a[1].conj()),
    "slice": (lambda x, y: y[:, 1:], True, False, True, lambda a: a[:, 1:].conj()),
    "diagonal": (lambda x, y: y.diagonal(), True, False, True, lambda a: a.diagonal().conj()),
    "unsqueeze": (lambda x, y: y.unsqueeze(0), True, False, True, lambda a: a[None].conj()),
    "expand": (lambda x, y: y.expand(3, 2, 2), True, False, True, lambda a: np.broadcast_to(a.conj(), (3, 2, 2))),
    "unbind": (lambda x, y: y.unbind(1)[1], True, False, True, lambda a: a[:, 1].conj()),
    "split": (lambda x, y: y.split(1)[1], True, False, True, lambda a: a[1:].conj()),
    "detach": (lambda x, y: y.detach(), True, False, True, np.conj),
    "contiguous": (lambda x, y: y.contiguous(), True, False, True, np.conj),
    "to its dtype": (lambda x, y: y.to(y.dtype), True, False, True, np.conj),
    "copied": (lambda x, y: copy.copy(y), True, False, True, np.conj),
    "imag": (lambda x, y: y.imag, False, True, True, lambda a: -a.imag),
    "real": (lambda x, y: y.real, False, False, True, lambda a: a.real),
    "negative": (lambda x, y: x._neg_view(), False, True, True, np.negative),
    "negative of conj": (lambda x, y: y._neg_view(), True, True, True, lambda a: -a.conj()),
    "its imag": (lambda x, y: y._neg_view().imag, False, False, True, lambda a: a.imag),
    "its real": (lambda x, y: y._neg_view().real, False, True, True, lambda a: -a.real),
    "conj of imag": (lambda x, y: y.imag.conj(), False, True, True, lambda a: -a.imag),
    "clone": (lambda x, y: y.clone(), False, False, False, np.conj),
    "deepcopy": (lambda x, y: copy.deepcopy(y), False, False, False, np.conj),
    "resolved": (lambda x, y: y.resolve_conj(), False, False, False, np.conj),
    "index": (lambda x, y: y[[1, 0]], False, False, False, lambda a: a[[1, 0]].conj()),
    "arithmetic": (lambda x, y: y * 2 + x, False, False, False, lambda a: a.conj() * 2 + a),
    "conj_physical": (lambda x, y: y.conj_physical(), False, False, False, lambda a: a),
    "zeros_like": (lambda x, y: y.new_zeros(2, 2), False, False, False, lambda a: a * 0),
}

# What is written to y, and what x is then.
WRITES: dict[str, tuple[Callable[[ModuleType, Any, Any], Any], Callable[[Any], Any]]] = {
    "setitem": (lambda lib, x, y: y.__setitem__(0, 5 + 1j), lambda a: np.array([[5 - 1j, 5 - 1j], a[1]])),
    "fill_": (lambda lib, x, y: y.fill_(1j), lambda a: np.full((2, 2), -1j)),
    "zero_": (lambda lib, x, y: y.zero_(), lambda a: a * 0),
    "mul_": (lambda lib, x, y: y.mul_(2j), lambda a: a * -2j),
    "add_": (lambda lib, x, y: y.add_(1j), lambda a: a - 1j),
    "copy_ of itself": (lambda lib, x, y: y.copy_(x), np.conj),
    "copy_": (lambda lib, x, y: y.copy_(lib.ones(2, 2)), lambda a: np.ones((2, 2))),
    "out": (lambda lib, x, y: lib.add(x, 1j, out=y), lambda a: a.conj() - 1j),
    "a view's": (lambda lib, x, y: y[:, 1].mul_(1j), lambda a: a * np.array([1, -1j])),
    "imag": (lambda lib, x, y: y.imag.fill_(3), lambda a: a.real - 3j),
    "imag set": (lambda lib, x, y: setattr(y, "imag", lib.ones(2, 2)), lambda a: a.real - 1j),
    "real": (lambda lib, x, y: y.real.fill_(3), lambda a: 3 + 1j * a.imag),
    "index_put_": (
        lambda lib, x, y: y.index_put_((lib.tensor([0]), lib.tensor([1])), lib.tensor([9j])),
        lambda a: np.where([[False, True], [False, False]], -9j, a),
    ),
    "masked_fill_": (
        lambda lib, x, y: y.masked_fill_(lib.tensor([[True, False], [False, True]]), 2j),
        lambda a: np.where(np.eye(2) == 1, -2j, a),
    ),
    "conj_physical_": (lambda lib, x, y: y.conj_physical_(), np.conj),
    "apply_": (lambda lib, x, y: y.real.apply_(lambda v: v + 1), lambda a: a + 1),
}


def both(lib: ModuleType) -> tuple[Any, Any]:
    """A tensor and its conjugate."""
    x = lib.tensor(NUMBERS.tolist())
    return x, x.conj()


@pytest.mark.cpu("addresses of the host's memory")
@pytest.mark.parametrize("name", MADE)
def test_what_is_made_of_a_conjugate(lib: ModuleType, name: str) -> None:
    """Views have the marks, and share the memory; other results have none."""
    made, conjugated, negated, shares, expected = MADE[name]
    x, y = both(lib)
    assert y.data_ptr() == x.data_ptr() and y._is_view() and y._base is x
    found = made(x, y)
    assert (found.is_conj(), found.is_neg()) == (lib.is_conj(found), lib.is_neg(found)) == (conjugated, negated)
    assert found.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() or not shares
    np.testing.assert_array_equal(np.array(found.tolist()), expected(NUMBERS))
    np.testing.assert_array_equal(found.resolve_conj().resolve_neg().numpy(), expected(NUMBERS))
    np.testing.assert_array_equal(found.numpy(force=True), expected(NUMBERS))
    x.mul_(2)
    np.testing.assert_array_equal(np.array(found.tolist()), expected(NUMBERS) * (2 if shares else 1))


@pytest.mark.parametrize("name", WRITES)
def test_writes_reach_the_tensor(lib: ModuleType, name: str) -> None:
    """What is written to a conjugate lies conjugated in memory, and counts as one write."""
    write, expected = WRITES[name]
    x, y = both(lib)
    write(lib, x, y)
    np.testing.assert_array_equal(np.array(x.tolist()), expected(NUMBERS))
    np.testing.assert_array_equal(np.array(y.tolist()), expected(NUMBERS).conj())
    assert y.is_conj() and not x.is_conj() and x._version == y._version


def test_layouts_change_in_place(lib: ModuleType) -> None:
    """The conjugate itself gets another layout, and the tensor keeps its own."""
    x, y = both(lib)
    assert y.t_() is y and y.unsqueeze_(0) is y
    np.testing.assert_array_equal(np.array(y.tolist()), NUMBERS.conj().T[None])
    assert x.shape == (2, 2) and x.stride() == (2, 1)
    y.resize_(3)
    assert y.tolist() == NUMBERS.conj().ravel()[:3].tolist()


def test_what_is_refused(lib: ModuleType) -> None:
    """NumPy and other readers of memory know no marks; the same bytes as another dtype would not be what is shown."""
    _, y = both(lib)
    for call in (lambda: y.numpy(), lambda: np.asarray(y)):
        with pytest.raises(RuntimeError, match=r"conjugate bit set. Use tensor.resolve_conj\(\).numpy\(\) instead"):
            call()
    with pytest.raises(RuntimeError, match=r"negative bit set. Use tensor.resolve_neg\(\).numpy\(\) instead"):
        y.imag.numpy()
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        lib.view_as_real(y)
    with pytest.raises(RuntimeError, match="not supported for conjugate view tensors"):
        y.view(lib.float32)
    with pytest.raises(BufferError, match="conjugate bit set"):
        y.__dlpack__()
    with pytest.raises(RuntimeError):
        y.expand(3, 2, 2).mul_(2)


def test_real_tensors_are_their_own_conjugates(lib: ModuleType) -> None:
    """No view is made where nothing changes."""
    x, z = lib.ones(2), lib.ones(2) * 1j
    assert x.conj() is x and x.resolve_conj() is x and x.conj_physical() is x and z.resolve_neg() is z


@pytest.mark.cpu("files say where tensors lay")
def test_files_keep_marks_and_sharing(lib: ModuleType) -> None:
    """Saved and pickled conjugates are conjugates."""
    x, y = both(lib)
    file = io.BytesIO()
    lib.save([x, y, y.imag.clone().neg()._neg_view()], file)
    file.seek(0)
    again = lib.load(file)
    assert again[1].is_conj() and again[2].is_neg() and again[0].data_ptr() == again[1].data_ptr()
    assert [t.tolist() for t in again] == [x.tolist(), y.tolist(), (-y.imag).neg().tolist()]
    pickled = pickle.loads(pickle.dumps(y.detach()))
    assert pickled.is_conj() and pickled.tolist() == y.tolist()


def test_printing_and_numbers(lib: ModuleType) -> None:
    """A conjugate is printed as what it shows, and so it is read."""
    _, y = both(lib)
    assert repr(y) == repr(y.resolve_conj()) and repr(y.imag) == repr(y.imag.resolve_neg())
    assert y[0, 0].item() == complex(y[0, 0]) == 1 - 2j and float(y.imag[0, 0]) == -2
    assert lib.equal(y, y.clone()) and lib.allclose(y, y.clone()) and len(list(y)) == 2


@pytest.mark.cpu("memory that moves is the host's")
def test_memory_that_moves() -> None:
    """A conjugate follows the memory of its tensor to where other processes see it, and where it grows."""
    x = sg.tensor(NUMBERS.tolist())
    y, part = x.conj(), x[0].conj()
    y.share_memory_()
    assert x.is_shared() and y.is_shared() and y.data_ptr() == x.data_ptr() == part.data_ptr()
    x.fill_(1j)
    assert part.tolist() == [-1j, -1j]
    x = sg.tensor([1j, 2j])
    y = x.conj()
    x.resize_(100).fill_(3j)
    assert y.tolist() == [-3j, -3j] and y.data_ptr() == x.data_ptr()
