"""`specgrad.as_torch()`: `import torch`, and all below it, is specgrad, and afterwards it is not."""

import importlib.metadata
import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import specgrad
from tests.repository import ROOT


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch is not imported where these tests run, whatever ran before."""
    for name in [name for name in sys.modules if name == "torch" or name.startswith("torch.")]:
        monkeypatch.delitem(sys.modules, name)


def test_modules_are_the_same_objects() -> None:
    """Each module below torch is specgrad's of that name, with the same classes, loaded when it is imported."""
    with specgrad.as_torch() as given:
        import torch
        import torch.nn.functional as F
        import torch.optim.lr_scheduler
        from torch import nn
        from torch.optim.adam import Adam
        from torch.utils.data import DataLoader

        assert given is torch is specgrad and nn is specgrad.nn and F is specgrad.nn.functional
        assert sys.modules["torch.nn.functional"] is sys.modules["specgrad.nn.functional"]
        assert Adam is specgrad.optim.Adam and DataLoader is specgrad.utils.data.DataLoader
        assert isinstance(nn.Linear(2, 2).weight, specgrad.Tensor)
        assert nn.__name__ == "specgrad.nn" and nn.__spec__ is not None and nn.__spec__.name == "specgrad.nn"
    assert not [name for name in sys.modules if name.split(".")[0] == "torch"]


def test_what_is_said_of_torch() -> None:
    """Versions compare as PyTorch's do; classes say that they are of torch; afterwards all is as before."""
    version, module_name = specgrad.__version__, specgrad.Tensor.__module__
    with specgrad.as_torch():
        import torch

        assert torch.__version__ == "2.13.0+specgrad" and torch.__version__ >= (2, 0) and torch.__version__ < "3"
        assert importlib.metadata.version("torch") == torch.__version__
        assert importlib.metadata.metadata("torch")["Name"] == "torch"
        assert "torch" in [found.metadata["Name"] for found in importlib.metadata.distributions()]
        assert torch.__name__ == torch.Tensor.__module__ == "torch"
        assert torch.nn.Linear.__module__ == "torch.nn.modules.linear"
        assert type(torch.float32).__module__ == "torch"
        model = pickle.loads(pickle.dumps([torch.nn.Linear(1, 1), torch.optim.SGD]))
        assert type(model[0]) is specgrad.nn.Linear and model[1] is specgrad.optim.SGD
    assert (specgrad.__version__, specgrad.Tensor.__module__, specgrad.__name__) == (version, module_name, "specgrad")
    assert specgrad.nn.Linear.__module__ == "specgrad.nn.modules.linear"


def test_missing_modules() -> None:
    """An import of what specgrad has not names specgrad; who only asks is told that there is none."""
    with specgrad.as_torch():
        with pytest.raises(ModuleNotFoundError, match="stands in for torch here, has no 'specgrad.nothing'") as caught:
            importlib.import_module("torch.nothing.at_all")
        assert caught.value.name == "torch.nothing"
        assert importlib.util.find_spec("torch.nothing") is None
        found = importlib.util.find_spec("torch.fft")
        assert found is not None and found.name == "torch.fft"
        with pytest.raises(ImportError, match="cannot import name 'nothing'"):
            from torch import nothing  # noqa: F401


def test_blocks_in_blocks() -> None:
    """The last block to end takes all back, also after an error."""
    finders = list(sys.meta_path)
    with specgrad.as_torch():
        with pytest.raises(ZeroDivisionError), specgrad.as_torch():
            raise ZeroDivisionError
        import torch

        assert torch is specgrad
    assert sys.meta_path == finders


def test_the_package_beside_torch() -> None:
    """`functorch`, which comes with PyTorch, is specgrad's too."""
    with specgrad.as_torch():
        import functorch
        from functorch import make_functional

        assert functorch is specgrad.functorch and make_functional is functorch.make_functional
    assert "functorch" not in sys.modules


def test_what_values_say_of_torch() -> None:
    """Dtypes, sizes, layouts and types of tensors print as PyTorch's, as programs read them; afterwards as before."""
    x = specgrad.zeros(2)
    with specgrad.as_torch():
        assert str(x.dtype) == "torch.float32" and repr(x.shape) == "torch.Size([2])"
        assert (str(x.layout), str(specgrad.channels_last)) == ("torch.strided", "torch.channels_last")
        assert x.type() == "torch.FloatTensor" and x.type("torch.DoubleTensor").type() == "torch.DoubleTensor"
        assert repr(specgrad.zeros(2, dtype=specgrad.int32)) == "tensor([0, 0], dtype=torch.int32)"
    assert str(x.dtype) == "specgrad.float32" and x.type() == "specgrad.FloatTensor"


def test_layers_are_traced_as_leaves() -> None:
    """A layer is one node of a traced program, although it says that it is torch's."""
    module = specgrad.nn.Sequential(specgrad.nn.Conv2d(1, 2, 1), specgrad.nn.BatchNorm2d(2), specgrad.nn.ReLU())
    with specgrad.as_torch():
        nodes = [(node.op, str(node.target)) for node in specgrad.fx.symbolic_trace(module).graph.nodes]
    assert nodes[1:-1] == [("call_module", "0"), ("call_module", "1"), ("call_module", "2")]


def test_generated_code_names_torch() -> None:
    """The code of a traced function reads as PyTorch's, and runs, also afterwards."""

    def function(x: specgrad.Tensor) -> specgrad.Tensor:
        return specgrad.relu(x).to(specgrad.float64) + specgrad.nn.functional.softsign(x)

    with specgrad.as_torch():
        traced = specgrad.fx.symbolic_trace(function)
        assert "torch.relu(x)" in traced.code and "torch.nn.functional.softsign(x)" in traced.code
        assert "to(torch.float64)" in traced.code and "specgrad" not in traced.code
        assert specgrad.overrides.resolve_name(specgrad.relu) == "torch.relu"
    assert traced(specgrad.tensor([-1.0, 1.0])).tolist() == [-0.5, 1.5]
    assert "specgrad.relu(x)" in specgrad.fx.symbolic_trace(function).code


def test_pytorch_itself_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where torch has been imported, specgrad refuses, and nothing changes."""
    monkeypatch.setitem(sys.modules, "torch", type(sys)("torch"))
    finders = list(sys.meta_path)
    with pytest.raises(RuntimeError, match="torch itself has been imported already"):
        specgrad.as_torch()
    assert sys.meta_path == finders and specgrad.__version__ != "2.13.0+specgrad"


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a folder."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "specgrad.as_torch", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


SCRIPT = """
import multiprocessing, subprocess, sys
import beside
import torch

def doubled(x):
    return (2 * torch.tensor(x)).item()

if __name__ == "__main__":
    print(sys.argv[1:], __file__, beside.NAME, torch.__name__)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(doubled, (1.5,)))
    code = "import torch.nn as nn; print(nn.__name__, nn.Linear.__module__)"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip())
    sys.exit(3)
"""


def test_scripts(tmp_path: Path) -> None:
    """A script runs as by `python script`: arguments, folder, status; processes that it starts have torch."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "script.py").write_text(SCRIPT)
    (tmp_path / "code" / "beside.py").write_text("import torch\nNAME = torch.nn.__name__\n")
    done = run("code/script.py", "-m", "x", folder=tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stdout.splitlines() == [
        "['-m', 'x'] code/script.py specgrad.nn torch",
        "3.0",
        "specgrad.nn torch.nn.modules.linear",
    ]


def test_modules_and_code(tmp_path: Path) -> None:
    """`-m` runs a module of the folder, `-c` code; what cannot be run is explained."""
    (tmp_path / "program.py").write_text("import sys, torch\nprint(torch.__version__, sys.argv[1:], __name__)\n")
    assert run("-m", "program", "a", folder=tmp_path).stdout == "2.13.0+specgrad ['a'] __main__\n"
    code = "import sys, program; from torch import nn; print(nn.__name__, sys.argv)"
    assert run("-c", code, "b", folder=tmp_path).stdout.splitlines()[-1] == "specgrad.nn ['-c', 'b']"
    assert run(folder=tmp_path).returncode == 2 and "usage:" in run("--help", folder=tmp_path).stdout


def test_modules_of_torch_and_files_that_are_not_there(tmp_path: Path) -> None:
    assert "specgrad version" in run("-m", "torch.utils.collect_env", folder=tmp_path).stdout
    missing = run("none.py", folder=tmp_path)
    assert missing.returncode == 2 and missing.stderr == "specgrad.as_torch: there is no file 'none.py'\n"


def test_annotations_can_be_read() -> None:
    """`typing.get_type_hints` of a layer of a program's own finds what those of specgrad's classes mean."""
    code = (
        "import specgrad, typing; specgrad.as_torch(); import torch\n"
        "class Layer(torch.nn.Linear):\n    width: int\n"
        "hints = typing.get_type_hints(Layer)\n"
        "assert hints['width'] is int and 'training' in hints, hints\n"
        "for kind in (torch.nn.Conv2d, torch.nn.MultiheadAttention, torch.dtype): typing.get_type_hints(kind)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
