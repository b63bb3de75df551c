"""Dtypes: identity, NumPy's counterparts, PyTorch's promotion rules, numeric limits."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.tensor import dtypes

NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
ORDER = NAMES.split()
# Rows and columns are in that order; a cell is the dtype of row + column, PyTorch's rule.
TABLE = """
b  u1 i1 i2 i4 i8 f2 bf f4 f8 c8 cd
u1 u1 i2 i2 i4 i8 f2 bf f4 f8 c8 cd
i1 i2 i1 i2 i4 i8 f2 bf f4 f8 c8 cd
i2 i2 i2 i2 i4 i8 f2 bf f4 f8 c8 cd
i4 i4 i4 i4 i4 i8 f2 bf f4 f8 c8 cd
i8 i8 i8 i8 i8 i8 f2 bf f4 f8 c8 cd
f2 f2 f2 f2 f2 f2 f2 f4 f4 f8 c8 cd
bf bf bf bf bf bf f4 bf f4 f8 c8 cd
f4 f4 f4 f4 f4 f4 f4 f4 f4 f8 c8 cd
f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 cd cd
c8 c8 c8 c8 c8 c8 c8 c8 c8 cd c8 cd
cd cd cd cd cd cd cd cd cd cd cd cd
"""
CASTS = (12, 11, 11, 11, 11, 11, 6, 6, 6, 6, 2, 2)  # how many of the last dtypes of ORDER each can become


def by_name(name: str) -> dtypes.dtype:
    return dtypes.from_name(name)


def cells() -> list[tuple[str, str, str]]:
    rows = [line.split() for line in TABLE.strip().splitlines()]
    short = dict(zip(rows[0], ORDER, strict=True))
    return [(a, b, short[cell]) for a, row in zip(ORDER, rows, strict=True) for b, cell in zip(ORDER, row, strict=True)]


@pytest.mark.parametrize(("a", "b", "expected"), cells())
def test_promote_types(a: str, b: str, expected: str) -> None:
    """Each cell of the promotion table is PyTorch's."""
    assert sg.promote_types(by_name(a), by_name(b)) is by_name(expected)


@pytest.mark.parametrize("row", range(12))
def test_can_cast(row: int) -> None:
    """A dtype can be cast to those of its own and of higher categories only."""
    allowed = [sg.can_cast(by_name(ORDER[row]), by_name(name)) for name in ORDER]
    assert allowed == [False] * (12 - CASTS[row]) + [True] * CASTS[row]


@pytest.mark.parametrize("function", [sg.promote_types, sg.can_cast])
def test_not_a_dtype(function) -> None:
    """Only dtypes promote; strings and lists are refused by name."""
    with pytest.raises(TypeError, match="expected two dtypes, but got str"):
        function(sg.float32, "float32")
    with pytest.raises(TypeError, match="expected two dtypes, but got list"):
        function([], sg.float32)


def of(name: str, *shape: int) -> sg.Tensor:
    return sg.zeros(shape, dtype=by_name(name))


RESULTS = [
    ((of("float64"), of("int32", 1)), "float64"),
    ((of("float64"), of("float32", 1)), "float32"),
    ((of("float64"), of("bool", 2)), "float64"),
    ((of("complex128"), of("float16", 2)), "complex32"),
    ((of("bfloat16"), of("float16", 2)), "float16"),
    ((of("float16"), 1.0), "float16"),
    ((of("uint8"), 300), "uint8"),
    ((of("bool"), 1), "int64"),
    ((of("int8", 1), True), "int8"),
    ((of("int32", 1), 1.5), "float32"),
    ((of("int32", 1), 1j), "complex64"),
    ((of("float64", 1), 1j), "complex128"),
    ((of("float64"), 1j), "complex128"),
    ((of("int64", 3), of("int8"), 2.5), "float32"),
    ((1, 2.0), "float32"),
    ((True, 1), "int64"),
    ((1j, 1), "complex64"),
    ((np.float64(2), of("float16", 1)), "float16"),
]


@pytest.mark.parametrize(("args", "expected"), RESULTS)
def test_result_type(args: tuple, expected: str) -> None:
    """Tensors with dimensions outrank 0-d tensors, which outrank Python numbers, within a category."""
    assert sg.result_type(*args) is by_name(expected)
    assert sg.result_type(*reversed(args)) is by_name(expected)


def test_result_type_of_no_number() -> None:
    """What is neither a tensor nor a number is refused by name."""
    with pytest.raises(TypeError, match="expected Tensors or numbers, got str"):
        sg.result_type(sg.zeros(2), "a")
    with pytest.raises(TypeError, match="at least one"):
        sg.result_type()


def test_default_dtype_is_that_of_python_floats() -> None:
    """set_default_dtype changes what Python floats and complex numbers become."""
    assert sg.get_default_dtype() is sg.float32
    sg.set_default_dtype(sg.float64)
    try:
        assert sg.result_type(of("int32", 1), 1.5) is sg.float64
        assert sg.result_type(of("int32", 1), 1j) is sg.complex128
        assert sg.tensor([1.0]).dtype is sg.float64
    finally:
        sg.set_default_dtype(sg.float32)
    with pytest.raises(TypeError, match="only floating-point types"):
        sg.set_default_dtype(sg.int32)


@pytest.mark.parametrize("name", ORDER)
def test_attributes(name: str) -> None:
    """A dtype knows its NumPy dtype, and is found by it, by pickling and by copying."""
    kind = by_name(name)
    assert repr(kind) == f"specgrad.{name}"
    assert dtypes.from_numpy(kind.np) is kind
    assert kind.itemsize == kind.np.itemsize
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.deepcopy(kind) is kind
    assert kind.is_floating_point == ("float" in name)
    assert kind.is_complex == ("complex" in name)
    assert kind.is_signed == (name not in ("uint8", "bool"))
    assert kind.native == (name in ("float32", "float64"))
    with pytest.raises(AttributeError, match="immutable"):
        kind.name = "other"


def test_compute_and_complex_partners() -> None:
    """16-bit floats compute in float32; each complex dtype and its real part know each other."""
    assert (sg.float16.compute, sg.bfloat16.compute, sg.int8.compute) == (sg.float32, sg.float32, sg.int8)
    assert (sg.complex64.to_real(), sg.complex128.to_real()) == (sg.float32, sg.float64)
    assert (sg.float32.to_complex(), sg.float64.to_complex()) == (sg.complex64, sg.complex128)
    assert (sg.float16.to_complex(), sg.bfloat16.to_complex()) == (sg.complex32, sg.complex64)
    assert sg.complex128.to_complex() is sg.complex128


@pytest.mark.parametrize("name", ["U1", "O", "longdouble", ">f4"])
def test_unsupported_numpy_dtype(name: str) -> None:
    """A NumPy dtype without counterpart is a TypeError that lists the supported ones."""
    with pytest.raises(TypeError, match="The only supported types are: bool, uint8"):
        dtypes.from_numpy(np.dtype(name))


LIMITS = {
    "float16": ("0.001", "65504", "0.000976562", "6.10352e-05"),
    "bfloat16": ("0.01", "3.38953e+38", "0.0078125", "1.17549e-38"),
    "float32": ("1e-06", "3.40282e+38", "1.19209e-07", "1.17549e-38"),
    "float64": ("1e-15", "1.79769e+308", "2.22045e-16", "2.22507e-308"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_finfo(name: str) -> None:
    """finfo prints as PyTorch's does, so all its numbers are right to six digits."""
    resolution, largest, eps, tiny = LIMITS[name]
    assert repr(sg.finfo(by_name(name))) == (
        f"finfo(resolution={resolution}, min=-{largest}, max={largest}, eps={eps}, smallest_normal={tiny}, "
        f"tiny={tiny}, dtype={name})"
    )


def test_finfo_of_complex_and_default() -> None:
    """A complex dtype has the limits of its parts; without argument the default dtype is meant."""
    assert sg.finfo(sg.complex128).eps == np.finfo(np.float64).eps
    assert sg.finfo().dtype == "float32"
    with pytest.raises(TypeError, match="Use iinfo"):
        sg.finfo(sg.int32)


def test_iinfo() -> None:
    """iinfo has the exact limits of an integer dtype."""
    info = sg.iinfo(sg.int64)
    assert (info.min, info.max, info.bits) == (-(2**63), 2**63 - 1, 64)
    assert repr(sg.iinfo(sg.uint8)) == "iinfo(min=0, max=255, dtype=uint8)"
    for kind in (sg.float32, sg.bool):
        with pytest.raises(TypeError, match="expected an integer dtype"):
            sg.iinfo(kind)


def test_there_are_no_other_dtypes() -> None:
    """As in PyTorch nobody makes one; copies and pickles are the one that there is."""
    with pytest.raises(TypeError, match=r"cannot create 'specgrad\.dtype' instances"):
        sg.dtype("float8", np.float16, "f")
    assert copy.deepcopy(sg.float32) is sg.float32 and pickle.loads(pickle.dumps(sg.bool)) is sg.bool


def test_limits_of_pythons_types(lib: Any) -> None:
    """`float`, `complex` and `int` stand for dtypes of 64 bits, as wherever a dtype is asked for."""
    assert lib.finfo(float).eps == np.finfo(np.float64).eps and lib.finfo(complex).bits == 64
    assert lib.iinfo(int).max == 2**63 - 1
    with pytest.raises(TypeError):
        lib.finfo(int)
    with pytest.raises(TypeError):
        lib.iinfo(bool)
