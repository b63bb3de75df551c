"""`hub`: weights by their address, kept and checked; models of a folder."""

import hashlib
from pathlib import Path

import pytest

import specgrad as sg

pytestmark = pytest.mark.cpu("files are no tensors")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A file of weights whose name has its hash."""
    path = tmp_path / "weights.pt"
    sg.save({"weight": sg.arange(3)}, path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return path.rename(tmp_path / f"weights-{digest[:8]}.pt")


def test_weights_by_address(weights: Path, tmp_path: Path) -> None:
    """The file is kept under its name, and not asked for again."""
    cache = tmp_path / "cache"
    found = sg.hub.load_state_dict_from_url(weights.as_uri(), str(cache), check_hash=True)
    assert found["weight"].tolist() == [0, 1, 2] and [path.name for path in cache.iterdir()] == [weights.name]
    weights.unlink()
    again = sg.hub.load_state_dict_from_url(weights.as_uri(), str(cache), map_location="cpu")
    assert again["weight"].tolist() == [0, 1, 2]


def test_a_wrong_hash(weights: Path, tmp_path: Path) -> None:
    """A file of another content is an error, and is not kept."""
    wrong = weights.rename(tmp_path / "weights-00000000.pt")
    cache = tmp_path / "cache"
    with pytest.raises(RuntimeError, match="invalid hash value"):
        sg.hub.load_state_dict_from_url(wrong.as_uri(), str(cache), check_hash=True)
    assert list(cache.iterdir()) == []
    assert sg.hub.load_state_dict_from_url(wrong.as_uri(), str(cache))["weight"].shape == (3,)


def test_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is PyTorch's, or that of TORCH_HOME, or what a program says."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    monkeypatch.delenv("TORCH_HOME", raising=False)
    assert sg.hub.get_dir() == "/cache/torch/hub"
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert sg.hub.get_dir() == str(tmp_path / "hub")
    monkeypatch.setattr("specgrad.runtime.extensions.torch_compat.hub._chosen", [])
    sg.hub.set_dir(tmp_path / "mine")
    assert sg.hub.get_dir() == str(tmp_path / "mine")


def test_models_of_a_folder(tmp_path: Path) -> None:
    """Functions of `hubconf.py` are listed, described and called; others, and missing packages, are errors."""
    source = 'dependencies = ["numpy"]\n\n\ndef model(size=1):\n    """A model."""\n    return "model", size\n'
    (tmp_path / "hubconf.py").write_text(source)
    folder = str(tmp_path)
    assert sg.hub.load(folder, "model", size=3, source="local") == ("model", 3)
    assert sg.hub.list(folder, source="local") == ["model"]
    assert sg.hub.help(folder, "model", source="local") == "A model."
    with pytest.raises(RuntimeError, match="Cannot find callable other"):
        sg.hub.load(folder, "other", source="local")
    (tmp_path / "hubconf.py").write_text(source.replace("numpy", "no_such_package"))
    with pytest.raises(RuntimeError, match="no_such_package"):
        sg.hub.load(folder, "model", source="local")


def test_the_network_is_left_alone() -> None:
    """Nothing is downloaded to be run."""
    with pytest.raises(RuntimeError, match="GitHub"):
        sg.hub.load("pytorch/vision", "resnet18")
    with pytest.raises(ValueError, match="Unknown source"):
        sg.hub.load("folder", "model", source="elsewhere")


def test_names_of_older_programs() -> None:
    """`model_zoo` is `hub`, and a bar of progress is there without the package that draws it."""
    from specgrad.runtime.extensions.torch_compat.hub import Silent
    from specgrad.utils import model_zoo

    assert model_zoo.load_url is sg.hub.load_state_dict_from_url
    with Silent(range(3), total=3) as bar:
        bar.set_description("read")
        for n in bar:
            bar.update(n)
    assert bar.n == 3
    assert list(model_zoo.tqdm([1, 2], disable=True)) == [1, 2]
