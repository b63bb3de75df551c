"""Files made to do harm: each is an error that says what is wrong, soon, in little memory, and runs nothing."""

import io
import os
import pickle
import struct
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.errors import SerializationError
from tests.extensions.serialization.test_checkpoints import FILES, Call, Stored, _Name, archive, tensor, written

ONE = {"0": bytes(16)}
STORAGE = Stored("FloatStorage", "0", 4)
LARGE = 2**62


class Shell:
    """Runs a command where a pickle is believed."""

    def __reduce__(self) -> Any:
        return os.system, ("touch harm",)


def bomb(depth: int) -> bytes:
    """A tuple that holds itself twice, that twice ..., as a key: its hash would take 2**depth steps."""
    return b"\x80\x02}(" + b"N\x85" + b"2\x86" * depth + b"Nu."


PICKLES: dict[str, bytes] = {
    "a command": pickle.dumps(Shell(), 2),
    "a command, protocol 4": pickle.dumps({"a": Shell()}, 4),
    "eval": written(Call("builtins.eval", "open('harm', 'w')")),
    "getattr": written(Call("builtins.getattr", _Name("builtins", "list"), "append")),
    "an import": written(Call("importlib.import_module", "antigravity")),
    "what torch has": written(Call("torch.load", "x")),
    "what specgrad has": written(Call("specgrad.runtime.extensions.serialization.atomic_file.replacing", "x")),
    "a class of NumPy's": written(Call("numpy.load", "x")),
    "a call of what was read": b"\x80\x02]K\x01\x85R.",
    "a call of a type": b"\x80\x02c__builtin__\nlist\nK\x05\x85R.",
    "an object of a known class": b"\x80\x02ccollections\nOrderedDict\n)\x81.",
    "attributes of an OrderedDict": b"\x80\x02ccollections\nOrderedDict\n)R}X\x05\0\0\0itemsNsb.",
    "the state of a tensor": written([tensor(STORAGE, (1,), (1,))])[:-2] + b"}b.",
    "getattr of a class of PyTorch's": written(
        Call("builtins.getattr", _Name("torch._C", "_VariableFunctionsClass"), "load")
    ),
    "a call of a layer": written(Call("torch.nn.modules.linear.Linear", 2, 2)),
    "a call of an activation": written(Call("torch.nn.functional.relu", 2)),
    "a layer with arguments": b"\x80\x02ctorch.nn.modules.linear\nLinear\nK\x01\x85\x81.",
    "a layer's method": b"\x80\x04\x8c\x17torch.nn.modules.linear\x8c\x0dLinear.reset\x93)\x81.",
    "a module that runs code": b"\x80\x02ctorch.nn.modules.module\nGraphModule\n)\x81.",
    "a layer with a list of attributes": b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81]b.",
    "a layer with attributes of no name": b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81}K\x01Nsb.",
    "a layer whose parameter is a number": b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81}"
    b"X\x0b\0\0\0_parameters}X\1\0\0\0aK\1ssb.",
    "a layer whose modules are a list": b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81}X\x08\0\0\0_modules]sb.",
    "an optimizer of nothing": b"\x80\x02ctorch.optim.sgd\nSGD\n)\x81}b.",
    "a scheduler of nothing": b"\x80\x02ctorch.optim.lr_scheduler\nStepLR\n)\x81}b.",
    "a large bytearray": written(Call("builtins.bytearray", LARGE)),
    "a large bytes": written(Call("builtins.bytes", LARGE)),
    "a set of a number": written(Call("builtins.set", 5)),
    "keys without end": bomb(60),
    "a key that is a list": b"\x80\x02}(]Nu.",
    "a long text": b"\x80\x02X\xff\xff\xff\xffab.",
    "a longer text": b"\x80\x04\x8d" + struct.pack("<Q", LARGE) + b"ab.",
    "a long number": b"\x80\x02\x8b" + struct.pack("<i", -5) + b".",
    "a memo far away": b"\x80\x02Nr\xff\xff\xff\xff0j\xfe\xff\xff\xff.",
    "nothing on the stack": b"\x80\x020.",
    "a mark that is not there": b"\x80\x02t.",
    "no end": b"\x80\x02]",
    "nothing": b"",
    "an opcode of copyreg": b"\x80\x02\x82\x01.",
    "a persistent id by name": b"\x80\x02Pabc\n.",
    "text for a persistent id": b"\x80\x02X\1\0\0\0aQ.",
    "names that are no text": b"\x80\x04NN\x93.",
    "odd items": b"\x80\x02}(Nu.",
    "a storage that is not there": written(tensor(Stored("FloatStorage", "7", 4), (4,), (1,))),
    "a storage elsewhere": written(tensor(Stored("FloatStorage", "../../data.pkl", 4), (4,), (1,))),
    "a storage of more": written(tensor(Stored("FloatStorage", "0", 5), (5,), (1,))),
    "a storage of far more": written(tensor(Stored("FloatStorage", "0", LARGE), (4,), (1,))),
    "a storage of less than nothing": written(tensor(Stored("FloatStorage", "0", -4), (4,), (1,))),
    "a storage of no dtype": written(tensor(Stored("OrderedDict", "0", 4, module_name="collections"), (4,), (1,))),
    "a tensor beyond its storage": written(tensor(STORAGE, (5,), (1,))),
    "a tensor that begins beyond": written(tensor(STORAGE, (1,), (1,), 4)),
    "a tensor that begins before": written(tensor(STORAGE, (1,), (1,), -1)),
    "steps back": written(tensor(STORAGE, (2,), (-1,), 1)),
    "steps beyond": written(tensor(STORAGE, (2,), (LARGE * 4,))),
    "a large tensor": written(tensor(STORAGE, (LARGE, LARGE), (0, 0))),
    "sizes that are no numbers": written(tensor(STORAGE, ("a",), (1,))),
    "fewer strides": written(tensor(STORAGE, (2, 2), (1,))),
    "1025 dimensions": written(tensor(STORAGE, (1,) * 1025, (0,) * 1025)),
    "a wider dtype": written(
        Call("torch._utils._rebuild_tensor_v3", STORAGE, 0, (4,), (1,), False, None, _Name("torch", "float64"))
    ),
    "a gradient of integers": written(tensor(Stored("IntStorage", "0", 4), (4,), (1,), 0, True, None)),
    "a tensor of a list": written(tensor([1, 2, 3, 4], (4,), (1,))),
    "a parameter of a list": written(Call("torch._utils._rebuild_parameter", [1], True, None)),
    "a sparse tensor of nothing": written(Call("torch._utils._rebuild_sparse_tensor", None, None)),
    "rows without a size": written(
        Call(
            "torch._utils._rebuild_sparse_tensor",
            Call("torch.serialization._get_layout", "torch.sparse_csr"),
            (1, 2, 3),
        )
    ),
    "a layout of another name": written(Call("torch.serialization._get_layout", "torch.Named")),
    "an array of objects": written(Call("numpy.dtype", "O8", False, True)),
    "a shape that does not fit": written(
        Call("numpy._core.numeric._frombuffer", b"ab", Call("numpy.dtype", "i8", False, True), (LARGE,), "C")
    ),
}


@pytest.mark.parametrize("name", PICKLES)
def test_pickles(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pickle in an archive, or in a row as in older files, that names, builds or sizes what it may not."""
    monkeypatch.chdir(tmp_path)
    files = [archive(PICKLES[name], ONE).getvalue()]
    head = (FILES / "older.pt").read_bytes()
    begin = head.index(b"\x80\x02", head.index(b"long"))  # behind magic number, version and machine
    files.append(head[:begin] + PICKLES[name] + pickle.dumps(["0"], 2) + struct.pack("<q", 4) + bytes(16))
    for data in files:
        with pytest.raises(SerializationError):
            sg.load(io.BytesIO(data))
    assert os.listdir(tmp_path) == []


def test_unsafe_names_are_said() -> None:
    """The error names what the file names, and how to allow what is no command; PyTorch's class of errors fits."""
    with pytest.raises(pickle.UnpicklingError, match=r"names (posix|nt)\.system, which could run any code"):
        sg.load(archive(PICKLES["a command"], ONE))
    with pytest.raises(pickle.UnpicklingError, match=r"names numpy\.load, .*safe_globals\(\[load\]\)"):
        sg.load(archive(PICKLES["a class of NumPy's"], ONE))


def test_cut_files() -> None:
    """Files of each format, cut at any length, are errors."""
    for name in ("archive", "older"):
        data = (FILES / f"{name}.pt").read_bytes()
        for length in range(0, len(data) - 1, 13):
            with pytest.raises(SerializationError):
                sg.load(io.BytesIO(data[:length]))


@pytest.mark.parametrize(
    "name", ["../data.pkl", "/etc/passwd", "model/../x", "model/data/00", "other/version", "model/data/1/2", "model\\x"]
)
def test_members_of_other_names(name: str) -> None:
    """A member that save never writes, also one that leads elsewhere, is refused; nothing is ever unpacked."""
    import zipfile

    file = archive(written([1]), ONE)
    with zipfile.ZipFile(file, "a") as found:
        found.writestr(name, b"1")
    with pytest.raises(SerializationError, match="writes no member called"):
        sg.load(file)


def test_many_locations_are_one_copy() -> None:
    """A storage that is named with many devices is read once for the one that map_location gives."""
    names = [tensor(Stored("FloatStorage", "0", 4, f"place:{n}"), (4,), (1,)) for n in range(3)]
    first, *others = sg.load(archive(written(names), ONE), map_location="cpu")
    first[0] = 3
    assert [other[0].item() for other in others] == [3, 3]
    assert OrderedDict(a=1) == sg.load(archive(written(Call("collections.OrderedDict", [("a", 1)])), ONE))
