"""Named tuples of ops with several outputs, and which overload a call means."""

import copy
import pickle
from typing import Any

import pytest

import specgrad as sg


def test_classes_of_results() -> None:
    """`return_types` has the class of each result, which can be made of items or of one sequence, and pickled."""
    result = sg.max(sg.eye(2), 0)
    assert type(result) is sg.return_types.max and result.values is result[0]
    assert type(sg.linalg.slogdet(sg.eye(2))) is sg.return_types.linalg_slogdet
    assert sg.return_types.max((1, 2)) == sg.return_types.max(1, 2) == (1, 2)
    assert sg.return_types.topk([3, 4]).indices == 4
    again = pickle.loads(pickle.dumps(sg.return_types.sort(1, 2)))
    assert type(again) is sg.return_types.sort and again == (1, 2) and copy.copy(again) == again
    assert "cummax" in dir(sg.return_types) and sg.return_types.aminmax.n_fields == 2


def test_a_tensor_of_one_element_is_a_size(lib: Any) -> None:
    """An integer tensor of one element stands for a size or a dimension, whatever its own dimensions."""
    one, x = lib.tensor([2]), lib.arange(6)
    assert lib.zeros(one, 3).shape == lib.full((one, 3), 1.0).shape == x.view(one, -1).shape == (2, 3)
    assert lib.zeros(2, 3, 4).sum(one).shape == (2, 3) and x.topk(one).values.tolist() == [5, 4]
    assert [part.tolist() for part in x.split(one)] == [part.tolist() for part in x.split([one, one, one])]
    picture = lib.ones(1, 1, 4, 4)
    assert lib.nn.functional.interpolate(picture, size=[one, one]).shape == (1, 1, 2, 2)
    assert lib.max(x, lib.tensor([3])).tolist() == [3, 3, 3, 3, 4, 5]
    with pytest.raises(TypeError):
        lib.zeros(lib.tensor([2.0]), 3)
    with pytest.raises((TypeError, ValueError)):
        lib.zeros(lib.tensor([2, 3]), 3)


def test_how_results_are_printed() -> None:
    """Each field has a line of its own."""
    assert repr(sg.max(sg.eye(2), 0)) == (
        "specgrad.return_types.max(\nvalues=tensor([1., 1.]),\nindices=tensor([0, 1]))"
    )


def test_wrong_items() -> None:
    """A class has as many items as the op has outputs, and there is none of an op with one."""
    with pytest.raises(TypeError, match="takes 2 items"):
        sg.return_types.max((1, 2, 3))
    with pytest.raises(AttributeError):
        sg.return_types.exp  # noqa: B018


def test_a_tensor_is_no_number_where_an_overload_takes_tensors() -> None:
    """`max` of a tensor and a tensor without dimensions compares them, also where it could be a dimension."""
    x = sg.tensor([[1, 5], [7, 0]])
    assert sg.max(x, sg.tensor(1)).tolist() == [[1, 5], [7, 1]]
    assert sg.min(x, sg.tensor(3)).tolist() == [[1, 3], [3, 0]]
    assert sg.max(x, 1).values.tolist() == [5, 7]
