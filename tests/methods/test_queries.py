"""Questions about tensors answer as PyTorch's do, and refuse what is no Tensor."""

import pytest

import specgrad as sg

NAN, INF = float("nan"), float("inf")


def test_kind_of_dtype() -> None:
    """is_floating_point and is_complex look at the dtype; is_tensor takes anything."""
    assert sg.is_floating_point(sg.ones(1, dtype=sg.bfloat16))
    assert not sg.is_floating_point(sg.ones(1, dtype=sg.complex64))
    assert sg.is_complex(sg.ones(1, dtype=sg.complex64))
    assert sg.is_tensor(sg.ones(1)) and not sg.is_tensor([1.0])


def test_sizes() -> None:
    """numel counts elements, also of empty and 0-d tensors; is_same_size compares shapes only."""
    assert [sg.numel(sg.zeros(shape)) for shape in [(2, 3), (0, 4), ()]] == [6, 0, 1]
    assert sg.is_same_size(sg.zeros(2), sg.ones(2, dtype=sg.int64))
    assert not sg.is_same_size(sg.zeros(2), sg.zeros(1, 2))


@pytest.mark.parametrize(("value", "truth"), [(0.0, False), (2.0, True), (NAN, True)])
def test_is_nonzero(value: float, truth: bool) -> None:
    """A tensor of one element is true when the element is not zero."""
    assert sg.is_nonzero(sg.tensor([value])) is truth


@pytest.mark.parametrize("size", [0, 2])
def test_is_nonzero_needs_one_element(size: int) -> None:
    """With no element, or several, the question has no answer."""
    with pytest.raises(RuntimeError, match="ambiguous"):
        sg.is_nonzero(sg.ones(size))


def test_equal() -> None:
    """Shape and elements count, the dtype does not, and NaN equals nothing."""
    assert sg.equal(sg.ones(2), sg.ones(2, dtype=sg.float64))
    assert not sg.equal(sg.ones(2), sg.ones(3))
    assert not sg.equal(sg.tensor([NAN]), sg.tensor([NAN]))
    assert sg.equal(sg.zeros(0), sg.zeros(0))


def test_isclose_takes_the_tolerance_from_other() -> None:
    """|input - other| <= atol + rtol * |other|: not symmetric; infinities are close only to themselves."""
    small, large = sg.tensor([1.0]), sg.tensor([2.0])
    assert sg.isclose(small, large, rtol=0.5).item() is True
    assert sg.isclose(large, small, rtol=0.5).item() is False
    left, right = sg.tensor([INF, INF, NAN]), sg.tensor([INF, 1.0, NAN])
    assert sg.isclose(left, right).tolist() == [True, False, False]
    assert sg.isclose(left, right, equal_nan=True).tolist() == [True, False, True]


def test_allclose_broadcasts() -> None:
    """Shapes only have to broadcast, and 16-bit floats are compared too."""
    assert sg.allclose(sg.ones(2, 3), sg.ones(3))
    assert sg.allclose(sg.ones(2, dtype=sg.bfloat16), sg.ones(1, dtype=sg.bfloat16))


@pytest.mark.parametrize("function", [sg.allclose, sg.isclose])
def test_closeness_refuses(function) -> None:
    """Other dtypes, shapes that do not broadcast, and negative tolerances are errors that name the function."""
    with pytest.raises(RuntimeError, match=function.__name__):
        function(sg.ones(2), sg.ones(2, dtype=sg.float64))
    with pytest.raises(RuntimeError, match=function.__name__):
        function(sg.ones(2), sg.ones(3))
    with pytest.raises(RuntimeError, match="atol"):
        function(sg.ones(2), sg.ones(2), atol=-1.0)


@pytest.mark.parametrize("name", ["is_floating_point", "is_complex", "is_nonzero", "numel"])
def test_only_tensors(name: str) -> None:
    """A number is no Tensor; the error names the function and the argument."""
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'input' must be Tensor, not int"):
        getattr(sg, name)(3)


def test_tolerances_may_be_large_integers() -> None:
    """A tolerance is a float, however it is written; what no float holds is refused by its name."""
    a, b = sg.ones(2), sg.zeros(2)
    assert sg.allclose(a, b, atol=10**30) and sg.isclose(a, b, rtol=10**30).tolist() == [False, False]
    with pytest.raises(RuntimeError, match=r"allclose\(\): argument 'atol' is too large"):
        sg.allclose(a, b, atol=10**400)
