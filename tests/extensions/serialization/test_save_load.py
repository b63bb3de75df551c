"""save and load: what comes back, what is refused, and that damage is noticed."""

import io
import os
import random
import sys
import threading
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import serialization
from specgrad.runtime.device import device
from specgrad.runtime.tensor import dtypes


def round_trip(value: Any, **kwargs: Any) -> Any:
    file = io.BytesIO()
    sg.save(value, file)
    file.seek(0)
    return sg.load(file, **kwargs)


PLAIN = [
    None,
    True,
    3,
    2**100,
    1.5,
    float("inf"),
    1 - 2j,
    "text \u00fc",
    b"bytes",
    bytearray(b"x"),
    [1, [2, None]],
    (1, (2,)),
    {1, 2},
    frozenset([3]),
    {"a": 1, 2: [3], (1, "b"): None, None: 0, 1.5: True},
    OrderedDict([("b", 1), ("a", 2)]),
    Counter([5, 2, 5]),
    sg.Size([2, 3]),
    sg.float16,
    sg.device("cuda:1"),
    [],
    {},
    (),
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_objects(value: Any) -> None:
    """Each supported type comes back as the same type with the same value."""
    loaded = round_trip(value)
    assert loaded == value
    assert type(loaded) is type(value)


def test_nan() -> None:
    """NaN survives as a number."""
    assert np.isnan(round_trip([float("nan")])[0])


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=repr)
def test_tensors(dtype: dtypes.dtype) -> None:
    """Tensors of each dtype and layout come back equal, contiguous or not, empty and 0-d ones too."""
    x = sg.tensor(np.arange(12).reshape(3, 4)).to(dtype)
    for t in (x, x[:, ::2], x.permute((1, 0)), x[1, 2], x[:0], sg.zeros(0, dtype=x.dtype)):
        loaded = round_trip(t)
        assert (loaded.dtype, loaded.tolist(), loaded.shape) == (t.dtype, t.tolist(), t.shape)
        assert loaded.stride() == t.stride()
        assert loaded.is_leaf and not loaded.requires_grad
    loaded.zero_()  # the memory is its own


def test_requires_grad() -> None:
    """requires_grad is kept; a result comes back as a leaf."""
    x = sg.ones(2, requires_grad=True)
    loaded = round_trip({"leaf": x, "result": x * 2})
    assert all(t.requires_grad and t.is_leaf for t in loaded.values())


def test_shared_memory() -> None:
    """Tensors that share memory still do, one tensor twice is one tensor, and it is stored once."""
    x = sg.zeros(1000)
    value = {"x": x, "view": x[10:20], "again": [x]}
    loaded = round_trip(value)
    assert loaded["again"][0] is loaded["x"]
    loaded["x"][10] = 7
    assert loaded["view"][0].item() == 7
    file = io.BytesIO()
    sg.save(value, file)
    assert 4000 < len(file.getvalue()) < 6000


def test_numpy_values() -> None:
    """Arrays and NumPy scalars come back as such."""
    array, scalar = round_trip([np.arange(6.0).reshape(2, 3).T, np.float32(1.5)])
    assert array.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert type(scalar) is np.float32 and scalar == 1.5


def test_state_dict_metadata() -> None:
    """The `_metadata` attribute that modules put on their state_dict is kept."""
    state = OrderedDict(weight=sg.ones(2))
    state._metadata = OrderedDict(version=1)
    loaded = round_trip(state)
    assert type(loaded) is OrderedDict and loaded._metadata == {"version": 1}


class Weight(sg.Tensor):
    """A class of tensors that a program makes."""


def test_tensor_subclass() -> None:
    """A tensor of a subclass keeps its class and attributes, where loading may name the class."""
    weight = sg.ones(2, requires_grad=True)
    weight.__class__ = Weight
    weight.note = "n"
    with pytest.raises(UnpicklingError, match=r"add_safe_globals\(\[Weight\]\)"):
        round_trip({"w": weight})
    with serialization.safe_globals([Weight]):
        loaded = round_trip({"w": weight})["w"]
    assert type(loaded) is Weight and loaded.note == "n" and loaded.requires_grad


class Point:
    """A class that is no tensor's."""

    def __init__(self, x: int) -> None:
        self.x = x


def test_objects_of_other_classes() -> None:
    """They are written as pickles write them, and read where loading may name their class, also by another name."""
    value = {"model": [1, Point(3)]}
    with pytest.raises(UnpicklingError, match="the file names .*Point, which load"):
        round_trip(value)
    with serialization.safe_globals([Point]):
        assert round_trip(value)["model"][1].x == 3
    assert serialization.get_safe_globals() == []
    file = io.BytesIO()
    sg.save(value, file)
    renamed = io.BytesIO(file.getvalue().replace(Point.__module__.encode(), b"x" * len(Point.__module__)))
    with serialization.safe_globals([(Point, "x" * len(Point.__module__) + ".Point")]), pytest.raises(RuntimeError):
        sg.load(renamed)  # the checksum has been for the other name


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"model": [1, lambda: 0]}, r"cannot save an object of type function at obj\['model'\]\[1\]"),
        (lambda: 0, "object of type function at obj:"),
        ({"a": {threading.Lock(): 1}}, r"object of type lock at key <.*> of obj\['a'\]"),
        ((threading.Lock(),), r"object of type lock at obj\[0\]"),
    ],
    ids=["nested", "function", "key", "tuple"],
)
def test_refused_objects(value: Any, message: str) -> None:
    """What Python cannot pickle is refused, naming the place."""
    with pytest.raises(RuntimeError, match=message):
        sg.save(value, io.BytesIO())


def test_cycles_and_depth() -> None:
    """An object that contains itself does so when it is loaded; one that nests too deeply is refused."""
    loop: dict = {}
    loop["self"] = [loop]
    loaded = round_trip(loop)
    assert loaded["self"][0] is loaded
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RuntimeError, match="nested too deeply"):
        sg.save(deep, io.BytesIO())
    shared = [1]
    first, second = round_trip([shared, shared])
    assert first is second


def test_paths(tmp_path: Path) -> None:
    """Strings and Path objects are paths; the folder holds the file and nothing else."""
    for path in (tmp_path / "a.pt", str(tmp_path / "a.pt")):
        sg.save([1], path)
        assert sg.load(path) == [1]
    assert os.listdir(tmp_path) == ["a.pt"]
    with pytest.raises(FileNotFoundError):
        sg.load(tmp_path / "none.pt")
    with pytest.raises(FileNotFoundError):
        sg.save([1], tmp_path / "none" / "a.pt")


def test_equal_objects_make_equal_files() -> None:
    """Files hold no time and no addresses."""
    files = [io.BytesIO(), io.BytesIO()]
    for file in files:
        sg.save({"a": sg.arange(3)}, file)
    assert files[0].getvalue() == files[1].getvalue()


def test_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing fails at any point, the old file is whole and no other file is left."""
    path = tmp_path / "model.pt"
    sg.save([1], path)
    with pytest.raises(RuntimeError, match="cannot save"):
        sg.save([lambda: 0], path)

    def fail(*args: Any) -> None:
        raise OSError("disk full")

    for function in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, fail)
            with pytest.raises(OSError, match="disk full"):
                sg.save([2], path)
        assert sg.load(path) == [1]
        assert os.listdir(tmp_path) == ["model.pt"]


def test_symlinks_and_devices(tmp_path: Path) -> None:
    """Saving to a symlink replaces what it points to; a device is written to, not replaced."""
    target, link = tmp_path / "target.pt", tmp_path / "link.pt"
    link.symlink_to(target)
    sg.save([1], link)
    assert link.is_symlink() and sg.load(target) == [1]
    sg.save([1], os.devnull)
    assert not os.path.isfile(os.devnull)


def test_unseekable_files() -> None:
    """A pipe can be written to and read from."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as reader, os.fdopen(write_end, "wb") as writer:
        sg.save({"x": sg.ones(3)}, writer)
        writer.close()
        assert sg.load(reader)["x"].tolist() == [1, 1, 1]


VALUE = {"x": sg.arange(50.0), "y": [1, "two"]}


def saved() -> bytes:
    file = io.BytesIO()
    sg.save(VALUE, file)
    return file.getvalue()


def test_truncated_file() -> None:
    """A file cut at any length is a clear error."""
    data = saved()
    for length in range(0, len(data), 7):
        with pytest.raises(RuntimeError, match="is damaged or was not written by specgrad.save"):
            sg.load(io.BytesIO(data[:length]))


def test_corrupt_file() -> None:
    """A file with any byte changed either loads unchanged values or is a clear error, never a wrong value."""
    data = saved()
    rng = random.Random(0)
    errors = 0
    for _ in range(400):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            loaded = sg.load(io.BytesIO(bytes(damaged)))
        except RuntimeError as error:
            assert "is damaged or was not written by specgrad.save" in str(error)
            errors += 1
        else:
            assert loaded["x"].tolist() == VALUE["x"].tolist() and loaded["y"] == VALUE["y"]
    assert errors > 200


TENSOR = (
    '{{"type": "tensor", "class": "tensor", "storage": 0, "dtype": "float32", "shape": {shape}, '
    '"strides": {strides}, "offset": {offset}, "requires_grad": false, "device": "cpu"}}'
)


def crafted(obj: str, size: int = 16) -> io.BytesIO:
    """A well-formed file around any description."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tree.json", f'{{"format": "specgrad", "version": 1, "byteorder": "little", "object": {obj}}}')
        archive.writestr("storages/0", b"\0" * size)
    file.seek(0)
    return file


@pytest.mark.parametrize(
    "obj",
    [
        TENSOR.format(shape=[5], strides=[1], offset=0),
        TENSOR.format(shape=[2], strides=[1], offset=3),
        TENSOR.format(shape=[2, 2], strides=[3, 1], offset=0),
        TENSOR.format(shape=[2], strides=[-1], offset=1),
        TENSOR.format(shape=[-2], strides=[1], offset=0),
        TENSOR.format(shape=[2], strides=[1], offset=-1),
        TENSOR.format(shape=[2], strides=[], offset=0),
        TENSOR.format(shape='["a"]', strides=[1], offset=0),
        TENSOR.format(shape=[1.0], strides=[1], offset=0),
        TENSOR.format(shape=[4], strides=[1], offset=0).replace("float32", "float31"),
        TENSOR.format(shape=[4], strides=[1], offset=0).replace('"storage": 0', '"storage": 1'),
        TENSOR.format(shape=[4], strides=[1], offset=0).replace('"class": "tensor"', '"class": "os.system"'),
        '{"type": "os.system", "value": "true"}',
        '{"type": "same", "as": 3}',
        '{"type": "list"}',
        '{"type": "dict", "items": [[[], 1]]}',
        '{"type": "complex", "value": "a"}',
        '{"type": "array", "storage": 0, "dtype": "float32", "shape": [99], "scalar": false}',
        "{}",
    ],
)
def test_crafted_files(obj: str) -> None:
    """A description that does not fit its storages, or names anything else, is refused."""
    with pytest.raises(RuntimeError, match="is damaged or was not written by specgrad.save"):
        sg.load(crafted(obj))


def test_other_files(tmp_path: Path) -> None:
    """Pickles, archives of other programs and newer versions are refused, their code not run."""
    import pickle

    others = [pickle.dumps(Point), b"", b"text"]
    archive = io.BytesIO()
    np.savez(archive, a=np.ones(2))
    others.append(archive.getvalue())
    others.append(crafted("1").getvalue().replace(b'"version": 1', b'"version": 2'))
    for number, data in enumerate(others):
        path = tmp_path / f"{number}.pt"
        path.write_bytes(data)
        with pytest.raises(RuntimeError, match=f"{number}.pt is damaged or was not written by specgrad.save"):
            sg.load(path)


def test_what_is_no_damage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Errors that the bytes of a file do not cause are raised as they are."""
    closed = io.BytesIO(saved())
    closed.close()
    with pytest.raises(ValueError, match="closed file"):
        sg.load(closed)
    with pytest.raises(TypeError, match=r"the file is open for text, expected a file that gives bytes: open"):
        sg.load(io.StringIO("text"))
    monkeypatch.setitem(
        sys.modules, "specgrad.runtime.extensions.serialization.zip_archive", None
    )  # as where it cannot be read
    with pytest.raises(ModuleNotFoundError):
        sg.load(io.BytesIO(saved()))


class Broken:
    """A class that does not take back what it has given."""

    def __init__(self) -> None:
        self.x = 1

    def __setstate__(self, state: Any) -> None:
        raise KeyError("version")


def test_an_error_of_a_class_of_the_program() -> None:
    """It is named with its error: the file is not damaged."""
    message = r"load\(\): .*Broken, which the program lets files call, raised KeyError: 'version'"
    with serialization.safe_globals([Broken]), pytest.raises(RuntimeError, match=message):
        round_trip(Broken())


def test_map_location(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tensor saved on a GPU needs map_location where there is none: a device, a dict or a function."""
    monkeypatch.setattr(device, "cuda_available", lambda: False)
    on_gpu = TENSOR.format(shape=[4], strides=[1], offset=0).replace('"cpu"', '"cuda:0"')
    with pytest.raises(RuntimeError, match=r"Found no NVIDIA driver.*map_location='cpu'"):
        sg.load(crafted(on_gpu))
    for location in ("cpu", sg.device("cpu"), {"cuda:0": "cpu"}, lambda storage, index: storage):
        assert sg.load(crafted(on_gpu), map_location=location).device == sg.device("cpu")
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver"):
        sg.load(crafted("1"), map_location="cuda")
    with pytest.raises(TypeError, match="not float"):
        sg.load(crafted("1"), map_location=1.5)


def test_errors_of_map_location() -> None:
    """What a function for the device raises is not taken for damage of the file."""

    def fail(storage: Any, index: str) -> Any:
        raise ValueError(f"no place for {index}")

    with pytest.raises(ValueError, match=r"^no place for cpu$"):
        sg.load(io.BytesIO(saved()), map_location=fail)


def test_named_pipe(tmp_path: Path) -> None:
    """A path may be a pipe, to save to and to load from."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=sg.save, args=(VALUE, path))
    writer.start()
    assert sg.load(path)["x"].tolist() == VALUE["x"].tolist()
    writer.join()


def test_beside_something_else() -> None:
    """What was written to the file before does not matter, and of several objects the last one is read."""
    file = io.BytesIO()
    file.write(b"something else")
    sg.save([1], file)
    sg.save({"x": sg.ones(2)}, file)
    file.seek(0)
    assert sg.load(file)["x"].tolist() == [1, 1]


def test_many_storages() -> None:
    """More storages than a ZIP archive counts with 16 bits."""
    value = [sg.full((1,), float(n)) for n in range(66_000)]
    loaded = round_trip(value)
    assert [t.item() for t in loaded[::1000]] == [float(n) for n in range(0, 66_000, 1000)]


def test_long_numbers() -> None:
    """An int of more digits than Python writes as text."""
    assert round_trip(-(10**5000)) == -(10**5000)


def test_a_tree_that_is_not_what_save_writes() -> None:
    """Parts of the wrong kind are refused, also where Python would make something of them."""
    tensor = TENSOR.format(shape=[4], strides=[1], offset=0)
    for wrong in (
        "[1]",
        '{"type": "list", "items": "abc"}',
        '{"type": "list", "items": {"a": 1}}',
        '{"type": ["list"], "items": []}',
        '{"type": "bytes", "value": "a=b=c"}',
        f'{{"type": "list", "items": [{tensor}, {{"type": "same", "as": -1}}]}}',
        f'{{"type": "list", "items": [{tensor}, {{"type": "same", "as": true}}]}}',
        tensor.replace('"storage": 0', '"storage": false'),
        tensor.replace('"storage": 0', '"storage": "0"'),
        tensor.replace('"requires_grad": false', '"requires_grad": 0'),
        tensor.replace("float32", "int32").replace("false", "true"),
        tensor.replace('"device": "cpu"', '"device": 0'),
        tensor.replace('"offset": 0', '"offset": 0, "attributes": {"type": "dict", "items": [[1, 2]]}'),
    ):
        with pytest.raises(RuntimeError, match="is damaged or was not written by specgrad.save"):
            sg.load(crafted(wrong))
