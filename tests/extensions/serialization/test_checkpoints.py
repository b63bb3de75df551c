"""Files of PyTorch's: those in `written_by_pytorch` are from PyTorch 2.13, others are put together by hand."""

import io
import mmap
import pickle
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import serialization
from tests.repository import ROOT

FILES = Path(__file__).parent / "written_by_pytorch"


def round_trip(value: Any) -> Any:
    file = io.BytesIO()
    sg.save(value, file)
    file.seek(0)
    return sg.load(file)


@pytest.mark.parametrize("name", ["archive", "older", "protocol4"])
def test_what_pytorch_has_written(name: str) -> None:
    """Tensors of several dtypes, views that share memory, parameters, containers and what is no tensor."""
    found = sg.load(FILES / f"{name}.pt")
    base, part, transposed = found["views"]
    base[1] = 10
    assert (
        part.tolist() == [10, 2, 3]
        and transposed.tolist() == [[0, 3], [10, 4], [2, 5]]
        and transposed.stride() == (1, 3)
    )
    weight = found["state"]["weight"]
    assert type(weight) is sg.nn.Parameter and weight.requires_grad and weight.tolist() == [[1, 2], [3, 4]]
    assert found["state"]._metadata == {"": {"version": 1}}
    kinds = {name: (found[name].dtype, found[name].tolist()) for name in ("half", "bool", "complex", "empty", "scalar")}
    assert kinds == {
        "half": (sg.bfloat16, [1.5, -2]),
        "bool": (sg.bool, [True, False]),
        "complex": (sg.complex64, [1 + 2j]),
        "empty": (sg.float32, []),
        "scalar": (sg.int64, 7),
    }
    assert found["grad"].requires_grad and found["grad"].is_leaf and found["empty"].shape == (0, 3)
    assert found["kinds"] == [sg.float16, sg.device("cuda:1"), sg.Size([2, 3])]
    expected = [None, True, 2**70, 1.5, "text \u00fc", b"bytes", (1, (2,)), {3}, 1 - 2j]
    assert found.get("plain", expected) == expected


def test_both_ways_beside_pytorch() -> None:
    """What specgrad saves PyTorch loads with weights_only=True, and the other way round."""
    torch = pytest.importorskip("torch")
    for source, target in ((sg, torch), (torch, sg)):
        base = source.arange(12.0)
        value = {
            "views": [base, base[2:5], base.reshape(3, 4).T],
            "weight": source.nn.Parameter(source.ones(2, dtype=source.float16), requires_grad=False),
            "optimizer": source.optim.Adam([source.nn.Parameter(source.ones(2))]).state_dict(),
            "plain": [2**80, b"bytes", bytearray(b"x"), {1}, 1j, source.Size([2])],
        }
        file = io.BytesIO()
        source.save(value, file)
        file.seek(0)
        found = target.load(file, weights_only=True)
        found["views"][0][2] = -1
        assert found["views"][1].tolist() == [-1, 3, 4] and tuple(found["views"][2].stride()) == (1, 4)
        assert type(found["weight"]) is target.nn.Parameter and found["weight"].dtype is target.float16
        assert found["optimizer"] == value["optimizer"]
        assert found["plain"][:5] == value["plain"][:5] and found["plain"][5] == target.Size([2])


def archive(description: bytes, storages: dict[str, bytes], **members: str) -> io.BytesIO:
    """An archive as PyTorch's documentation describes it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as found:
        found.writestr("model/data.pkl", description)
        for key, content in storages.items():
            found.writestr(f"model/data/{key}", content)
        for name, text in {"version": "3\n", **members}.items():
            found.writestr(f"model/{name}", text)
    file.seek(0)
    return file


class _Name:
    """What a pickle names, though it is not there."""

    def __init__(self, module: str, name: str) -> None:
        self.text = f"{module}\n{name}\n".encode()


class _Pickler(pickle._Pickler):  # type: ignore[name-defined,misc]
    """A pickler of calls, names and persistent ids that a test makes."""

    def persistent_id(self, obj: Any) -> Any:
        return obj.identity if isinstance(obj, Stored) else None

    def _name(self, obj: _Name) -> None:
        self.write(pickle.GLOBAL + obj.text)

    def _call(self, obj: "Call") -> None:
        self.save(_Name(*obj.name.rsplit(".", 1)))
        self.save(obj.arguments)
        self.write(pickle.REDUCE)

    dispatch = {**pickle._Pickler.dispatch, _Name: _name}  # type: ignore[attr-defined]


class Call:
    """A call of a name with arguments, in the place of its result."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self.name = name
        self.arguments = arguments


_Pickler.dispatch[Call] = _Pickler._call


class Stored:
    """A persistent id."""

    def __init__(self, kind: str, key: Any, count: Any, location: Any = "cpu", module_name: str = "torch") -> None:
        self.identity = ("storage", _Name(module_name, kind), key, location, count)


def written(value: Any) -> bytes:
    """The pickle of a value that holds calls."""
    file = io.BytesIO()
    _Pickler(file, 2).dump(value)
    return file.getvalue()


def tensor(storage: Any, shape: Any, strides: Any, offset: Any = 0, *more: Any) -> Call:
    """The call that makes a tensor."""
    return Call("torch._utils._rebuild_tensor_v2", storage, offset, shape, strides, *(more or (False, None)))


def test_byte_order() -> None:
    """Elements in the other order are turned, of complex numbers each half; a setting says it of others."""
    floats = np.array([1.5, -2.0], ">f4")
    value = [
        tensor(Stored("FloatStorage", "0", 2), (2,), (1,)),
        tensor(Stored("ComplexDoubleStorage", "1", 1), (1,), (1,)),
        tensor(Stored("BFloat16Storage", "2", 1), (1,), (1,)),
        tensor(Stored("BoolStorage", "3", 1), (1,), (1,)),
    ]
    storages = {"0": floats.tobytes(), "1": np.array([1 + 2j], ">c16").tobytes(), "2": b"\x3f\xc0", "3": b"\1"}
    expected = [[1.5, -2], [1 + 2j], [1.5], [True]]
    found = sg.load(archive(written(value), storages, byteorder="big"))
    assert [t.tolist() for t in found] == expected
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    try:
        assert [t.tolist() for t in sg.load(archive(written(value), storages))] == expected
    finally:
        serialization.set_default_load_endianness(None)
    with pytest.raises(RuntimeError, match="its byte order is 'middle'"):
        sg.load(archive(written(value), storages, byteorder="middle"))


def test_mapped_files(tmp_path: Path) -> None:
    """Tensors over a mapped file: what is written to them stays with the process, or goes to the file."""
    path = tmp_path / "mod\u00e8le.pt"
    sg.save({"x": sg.arange(2000.0), "y": sg.ones(3, dtype=sg.int8)}, path)
    found = sg.load(path, mmap=True)
    assert found["x"].sum().item() == 1999000 and found["y"].tolist() == [1, 1, 1]
    found["x"][0] = 5
    assert sg.load(str(path))["x"][0].item() == 0
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        sg.load(path, mmap=True)["x"][1] = 7
    assert sg.load(path, mmap=True)["x"][:2].tolist() == [0, 7]
    with pytest.raises(ValueError, match="f must be a file path"):
        sg.load(io.BytesIO(path.read_bytes()), mmap=True)


def test_open_files_are_whole(lib: ModuleType, tmp_path: Path) -> None:
    """What has been saved to an open file is there for others who open it, as after PyTorch's save."""
    with (tmp_path / "open.pt").open("wb") as file:
        lib.save({"x": lib.arange(3.0)}, file)
        assert lib.load(tmp_path / "open.pt")["x"].tolist() == [0, 1, 2]


def test_storages_begin_at_multiples_of_64() -> None:
    """So others can map what save writes."""
    file = io.BytesIO()
    sg.save([sg.ones(n) for n in (1, 3, 200)], file)
    data = file.getvalue()
    with zipfile.ZipFile(file) as found:
        for info in found.infolist():
            if "/data/" in info.filename:
                name, extra = struct.unpack_from("<2H", data, info.header_offset + 26)
                assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_memory_in_several_dtypes() -> None:
    """Tensors of several dtypes over one memory still share it."""
    x = sg.arange(4.0)
    first, second, third = round_trip([x, x.view(sg.int32), x[1:].view(sg.uint8)])
    first[1] = 0
    assert second.tolist() == x.view(sg.int32).tolist()[:1] + [0, *x.view(sg.int32).tolist()[2:]]
    assert third[:4].tolist() == [0, 0, 0, 0]


def test_checksums_that_were_not_written() -> None:
    """PyTorch can be told to write none; of a file that has some, each counts."""
    data = bytearray((FILES / "archive.pt").read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        position = data.index(struct.pack("<L", found.getinfo("archive/data.pkl").CRC), found.start_dir)
        positions = [data.index(struct.pack("<L", info.CRC), found.start_dir) for info in found.infolist()]
    for at in positions:
        data[at : at + 4] = bytes(4)
    assert sg.load(io.BytesIO(bytes(data)))["scalar"].item() == 7
    data[position] = 1
    with pytest.raises(RuntimeError, match="does not have the checksum"):
        sg.load(io.BytesIO(bytes(data)))


def test_arguments() -> None:
    """What would run code is refused with the reason, or left out with a warning; what PyTorch takes is taken."""
    path = FILES / "archive.pt"
    script = f"import specgrad as sg; [sg.load({str(path)!r}, weights_only=False) for _ in range(2)]"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("specgrad runs no code of a file") == 1, done.stderr
    assert sg.load(path, weights_only=None, encoding="latin1")["scalar"].item() == 7
    with pytest.raises(RuntimeError, match="pickle_module"):
        sg.load(path, pickle_module=pickle)
    with pytest.raises(TypeError, match="unexpected keyword argument 'fix_imports'"):
        sg.load(path, fix_imports=True)
    with pytest.raises(RuntimeError, match="not written any more"):
        sg.save(1, io.BytesIO(), _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="pickle_protocol is 2 to 5, not 1"):
        sg.save(1, io.BytesIO(), pickle_protocol=1)
    for protocol in (2, 3, 4, 5):
        file = io.BytesIO()
        sg.save({"x": [sg.ones(2), b"b", {1}]}, file, pickle_protocol=protocol)
        assert sg.load(io.BytesIO(file.getvalue()))["x"][0].tolist() == [1, 1]


def test_locations_that_are_not_here() -> None:
    """A tensor of a device that is not here goes where map_location says, a function is told where it was."""
    file = archive(written(tensor(Stored("FloatStorage", "0", 1, "mps"), (1,), (1,))), {"0": bytes(4)})
    with pytest.raises(RuntimeError, match="mps"):
        sg.load(file)
    requested = []
    file.seek(0)
    found = sg.load(file, map_location=lambda storage, position: requested.append(position) or storage)
    assert found.device.type == "cpu" and requested == ["mps"]


def test_objects_that_were_saved_before() -> None:
    """Names of before: tensors without a gradient's word, parameters, and Python 2's builtins."""
    storage = Stored("FloatStorage", "0", 4)
    value = [
        Call("torch._utils._rebuild_tensor", storage, 1, (2,), (1,)),
        Call("torch._utils._rebuild_parameter", tensor(storage, (2, 2), (2, 1)), True, Call("collections.OrderedDict")),
        Call("__builtin__.set", [1, 2]),
        Call("collections.defaultdict", _Name("__builtin__", "list"), {"a": [1]}),
        Call("torch._utils._rebuild_tensor_v3", storage, 0, (2,), (1,), False, None, _Name("torch", "int32")),
        tensor(Stored("ComplexFloatStorage", "1", 1), (1,), (1,), 0, False, None, {"conj": True}),
    ]
    plain, weight, numbers, more, integers, conjugated = sg.load(
        archive(written(value), {"0": np.arange(4, dtype="f4").tobytes(), "1": np.array([1 + 2j], "c8").tobytes()})
    )
    assert plain.tolist() == [1, 2] and weight.tolist() == [[0, 1], [2, 3]] and weight.requires_grad
    assert numbers == {1, 2} and more["b"] == [] and integers.tolist() == [0, 1065353216]
    assert conjugated.tolist() == [1 - 2j]
    assert sys.byteorder == "little"
