"""Names of `torch.serialization` besides save and load: places, skipped bytes, names in files, programs."""

import io
import pickle
import types
import zipfile
from typing import Any

import pytest

import specgrad as sg
from specgrad import serialization


def written(value: Any) -> io.BytesIO:
    file = io.BytesIO()
    sg.save(value, file)
    file.seek(0)
    return file


class Named:
    """What a file may not name without being allowed to."""


def test_names_that_are_not_known() -> None:
    """Names of classes and functions are found without calling them, but those that are allowed."""
    file = written({"x": sg.ones(2), "own": Named(), "count": 3})
    name = f"{Named.__module__}.Named"
    found = serialization.get_unsafe_globals_in_checkpoint(file)
    assert name in found and not [other for other in found if other.startswith("torch")]
    with serialization.safe_globals([Named]):
        assert name not in serialization.get_unsafe_globals_in_checkpoint(file)
    with pytest.raises(RuntimeError, match="expected an archive of save"):
        serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(b"no archive at all, but long enough for an end"))


@pytest.mark.parametrize("protocol", [2, 4])
def test_names_of_every_protocol(protocol: int) -> None:
    """Later pickles have the parts of names on the stack."""
    file = io.BytesIO()
    sg.save([Named()], file, pickle_protocol=protocol)
    assert f"{Named.__module__}.Named" in serialization.get_unsafe_globals_in_checkpoint(file)


def test_skip_data() -> None:
    """In the block files get no numbers, and none are read; behind it they are."""
    with serialization.skip_data():
        empty = written({"x": sg.ones(3)})
    assert sg.load(empty)["x"].tolist() == [0, 0, 0]
    full = written({"x": sg.ones(3)})
    with serialization.skip_data():
        assert sg.load(full)["x"].tolist() == [0, 0, 0]
    full.seek(0)
    assert sg.load(full)["x"].tolist() == [1, 1, 1]
    assert len(full.getvalue()) == len(empty.getvalue())


def test_a_torchscript_archive() -> None:
    """A program is refused by what it is, though parts of its archive are packed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(None))
        archive.writestr("archive/code/__torch__.py", "x" * 500, zipfile.ZIP_DEFLATED)
        archive.writestr("archive/constants.pkl", pickle.dumps(()))
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"is a TorchScript archive.*write its state_dict\(\) by torch.save"):
        sg.load(file)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_archive_of_pytorchs_compiler() -> None:
    """What torch.jit.save writes is refused by what it is."""
    torch = pytest.importorskip("torch")
    file = io.BytesIO()
    torch.jit.save(torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2)), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="is a TorchScript archive"):
        sg.load(file)


def test_places_of_storages() -> None:
    """A storage says where it lies, and is brought back there; other places are an error."""
    storage = sg.ones(2).untyped_storage()
    assert serialization.location_tag(storage) == "cpu"
    assert serialization.default_restore_location(storage, "cpu") is storage
    with pytest.raises(RuntimeError, match="how to restore data location of UntypedStorage .tagged with far"):
        serialization.default_restore_location(storage, "far")
    with pytest.raises(RuntimeError, match="don't know how to determine data location of int"):
        serialization.location_tag(1)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        serialization.validate_cuda_device("cpu")
    with pytest.raises(RuntimeError, match="HPU"):
        serialization.validate_hpu_device("hpu")


def test_registered_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program's functions come before ours with a lower priority, and bring back tensors of places of their own."""
    from specgrad.runtime.extensions.serialization import devices

    monkeypatch.setattr(devices, "_packages", list(devices._packages))
    requested: list[str] = []

    def restore(storage: Any, location: str) -> Any:
        requested.append(location)
        return storage if location.startswith("far") else None

    serialization.register_package(5, lambda storage: "far:0", restore)
    assert serialization.location_tag(sg.ones(1).untyped_storage()) == "far:0"
    content = written(sg.ones(2)).getvalue()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    pickled = members["archive/data.pkl"]
    elsewhere = io.BytesIO()
    with zipfile.ZipFile(elsewhere, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data.replace(b"X\x03\x00\x00\x00cpu", b"X\x05\x00\x00\x00far:0"))
    assert b"cpu" in pickled
    elsewhere.seek(0)
    assert sg.load(elsewhere).tolist() == [1, 1] and requested == ["far:0"]
    with pytest.raises(TypeError, match="expected two functions"):
        serialization.register_package(1, None, restore)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_classes_by_name() -> None:
    """Classes of storages and tensors of a dtype are found by each other."""
    assert serialization.normalize_storage_type(sg.FloatStorage) is sg.FloatStorage
    assert serialization.storage_to_tensor_type(sg.LongStorage(2)) is sg.LongTensor
    assert serialization.get_crc32_options() is True


def test_versions() -> None:
    """Versions are compared part by part; one of other parts is an error or a warning."""
    module = types.ModuleType("some")
    module.__version__ = "1.10.2"  # type: ignore[attr-defined]
    assert serialization.check_module_version_greater_or_equal(module, (1, 9))
    assert not serialization.check_module_version_greater_or_equal(module, (2, 0, 0))
    module.__version__ = "new"  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="malformed"):
        serialization.check_module_version_greater_or_equal(module, (1, 9))
    with pytest.warns(UserWarning, match="malformed"):
        assert serialization.check_module_version_greater_or_equal(module, (1, 9), error_if_malformed=False)
