"""Named tuples of ops with several outputs, and which overload a call means."""

import copy
import pickle

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
