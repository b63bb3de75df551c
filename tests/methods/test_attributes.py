"""What programs ask of tensors, and what they set for other machines."""

import pytest

import specgrad as sg


def test_comparisons_as_methods() -> None:
    """equal, allclose, isclose and is_nonzero are methods too."""
    x = sg.tensor([1.0, 2.0])
    assert x.equal(x + 0) and x.allclose(x + 1e-9) and not x.equal(sg.ones(2))
    assert x.isclose(sg.tensor([1.0, 3.0])).tolist() == [True, False]
    assert sg.tensor(2.0).is_nonzero()


def test_conversions_to_be_like() -> None:
    """type_as takes the dtype of another tensor; ndimension is dim."""
    x = sg.tensor([1, 2])
    assert x.type_as(sg.ones(1)).dtype is sg.float32 and x.type_as(x) is x
    assert x.ndimension() == 1


def test_facts() -> None:
    """All tensors are strided, dense and on the CPU; views know that they are."""
    x = sg.ones(2, 2)
    assert x.layout is sg.strided and repr(sg.strided) == "specgrad.strided"
    assert [x.is_sparse, x.is_quantized, x.is_meta, x.is_pinned(), x._is_view(), x[0]._is_view()] == [False] * 5 + [
        True
    ]
    assert x.get_device() == -1


def test_positive() -> None:
    """`+x` is x; a bool has no sign."""
    x = sg.ones(2)
    assert +x is x and x.positive() is x
    with pytest.raises(RuntimeError, match=r"positive\(\): expected a dtype that is not bool"):
        +sg.tensor([True])


def test_settings_are_kept() -> None:
    """Settings for other machines are kept, and questions about them answered."""
    sg.use_deterministic_algorithms(True)
    assert sg.are_deterministic_algorithms_enabled()
    sg.use_deterministic_algorithms(False)
    sg.set_float32_matmul_precision("high")
    assert sg.get_float32_matmul_precision() == "high"
    sg.set_float32_matmul_precision("highest")
    with pytest.raises(RuntimeError, match="expected one of highest, high, medium, got 'low'"):
        sg.set_float32_matmul_precision("low")


def test_reproducible_start_of_a_program() -> None:
    """The usual lines that make runs reproducible, and choose a device, run without a GPU."""
    sg.manual_seed(0)
    sg.cuda.manual_seed(0)
    sg.cuda.manual_seed_all(0)
    sg.cuda.empty_cache()
    sg.backends.cudnn.deterministic = True
    sg.backends.cudnn.benchmark = False
    assert not sg.backends.mps.is_available()
    assert sg.cuda.device_count() >= 0
    assert sg.accelerator.is_available() == sg.cuda.is_available() == (sg.accelerator.current_accelerator() is not None)


def test_negative_index_out_of_range() -> None:
    """The message about an index has the index as it was given."""
    with pytest.raises(IndexError, match="index -4 is out of bounds for dimension 0 with size 3"):
        sg.ones(3)[[-4]]


def test_unsupported_dtype_is_not_implemented() -> None:
    """A dtype that an op does not compute in is a RuntimeError and a NotImplementedError, as in PyTorch."""
    with pytest.raises(NotImplementedError, match=r"softmax\(\): expected a dtype of kind float"):
        sg.softmax(sg.tensor([1]), 0)
