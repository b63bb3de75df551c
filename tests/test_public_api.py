"""The import name: PyTorch's statements and names work, and importing costs little."""

import subprocess
import sys

import pytest

import specgrad as sg
from tests.repository import ROOT

STATEMENTS = [
    "import specgrad as torch; torch.nn.functional.relu; torch.optim.SGD; torch.utils.data.DataLoader",
    "import specgrad.nn as nn; nn.Linear",
    "import specgrad.nn.functional as F; F.cross_entropy",
    "import specgrad.nn.init as init; init.kaiming_uniform_",
    "import specgrad.optim as optim; optim.AdamW",
    "import specgrad.optim.lr_scheduler as s; s.StepLR",
    "from specgrad.optim.lr_scheduler import CosineAnnealingLR",
    "from specgrad.optim.lr_scheduler import _LRScheduler",
    "from specgrad.optim.optimizer import Optimizer, required",
    "from specgrad.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau, SequentialLR",
    "from specgrad.optim.swa_utils import AveragedModel, SWALR, update_bn",
    "import specgrad as torch; torch.optim.swa_utils.AveragedModel; torch.optim.lr_scheduler.CyclicLR",
    "from specgrad.nn.utils import clip_grad_norm_, spectral_norm, weight_norm, fuse_conv_bn_eval",
    "from specgrad.nn.utils.parametrizations import spectral_norm, weight_norm",
    "import specgrad.nn.utils.parametrize as parametrize; parametrize.register_parametrization",
    "from specgrad.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence",
    "from specgrad.utils.data import DataLoader, Dataset, TensorDataset, random_split",
    "from specgrad.utils.data.dataset import Dataset",
    "from specgrad.utils.data.dataloader import DataLoader",
    "from specgrad.utils.data.sampler import SubsetRandomSampler",
    "import specgrad.backends.cudnn as cudnn; cudnn.benchmark",
    "import specgrad.accelerator; specgrad.accelerator.is_available",
    "import specgrad.cpu; specgrad.cpu.is_available",
    "import specgrad.utils.data; specgrad.utils.data.DataLoader",
    "import specgrad.autograd as autograd; autograd.grad; autograd.backward; autograd.Function",
    "from specgrad.autograd import Function, Variable, gradcheck, gradgradcheck",
    "from specgrad.autograd.variable import Variable",
    "from specgrad.nn.modules import Module, Linear, conv",
    "from specgrad.nn.modules.conv import _ConvNd",
    "from specgrad.nn.modules.batchnorm import _BatchNorm, _NormBase",
    "from specgrad.nn.modules.loss import _Loss, _WeightedLoss",
    "from specgrad.nn.modules.utils import _pair, _single, _triple",
    "import specgrad.nn as nn; nn.modules.conv._ConvNd; nn.modules.Conv2d; nn.modules.pooling._MaxPoolNd",
    "import specgrad.linalg as linalg",
    "import specgrad.special as special",
    "import specgrad.fft as fft; fft.rfft",
    "from specgrad.special import expit, gammainc, gammaln, i0e, multigammaln, ndtri, psi, xlog1py, zeta",
    "import specgrad as torch; torch.quantization.QuantStub; torch.cuda.sparse.FloatTensor; torch.sparse.LongTensor",
    "from specgrad.quantization import DeQuantStub, QuantStub, fuse_modules",
    "import specgrad as torch; torch.jit.TracerWarning; torch.symeig; torch._shape_as_tensor",
    "import specgrad as torch; torch.nested.nested_tensor; torch.jagged",
    "from specgrad.nested import as_nested_tensor, nested_tensor_from_jagged",
    "import specgrad as torch; torch.export.export; torch.export.Dim.AUTO",
    "from specgrad.export import Dim, ExportedProgram, export, register_dataclass",
    "from specgrad.export.graph_signature import InputKind, TensorArgument",
    "import specgrad.profiler; specgrad.profiler.profile",
    "from specgrad.profiler import profile, record_function, schedule, ProfilerActivity, tensorboard_trace_handler",
    "from specgrad.profiler.profiler import profile",
    "import specgrad.autograd.profiler as profiler; profiler.profile; profiler.record_function",
    "import specgrad as torch; torch.profiler.profile; torch.autograd.profiler.emit_nvtx; torch.graph.draw",
    "import specgrad.distributions as dist; dist.Normal; dist.constraints.positive; dist.kl.kl_divergence",
    "from specgrad.distributions import Categorical, MultivariateNormal, kl_divergence, transform_to",
    "from specgrad.distributions.normal import Normal",
    "from specgrad.distributions.utils import broadcast_all, lazy_property, probs_to_logits",
    "import specgrad as torch; torch.distributions.Normal; torch.distributions.transforms.ExpTransform",
    "import specgrad.multiprocessing as mp; mp.spawn; mp.Queue; mp.get_context; mp.Pool",
    "from specgrad.multiprocessing import Process, Queue, Pool, set_start_method, set_sharing_strategy",
    "from specgrad.multiprocessing.spawn import ProcessRaisedException, start_processes",
    "from specgrad.multiprocessing.reductions import ForkingPickler, reduce_tensor",
    "from specgrad.storage import TypedStorage, UntypedStorage, FloatStorage",
    "from specgrad import FloatStorage, FloatTensor, UntypedStorage",
    "from specgrad.cuda import FloatTensor, LongStorage",
    "import specgrad.random as random; random.manual_seed; random.get_rng_state; random.fork_rng",
    "from specgrad import Tensor, nn, optim, autograd, float32",
    "import specgrad as torch; torch.masked.softmax; torch.signal.windows.hann; torch.quasirandom.SobolEngine",
    "from specgrad.signal.windows import gaussian; from specgrad.quasirandom import SobolEngine",
    "import specgrad as torch; torch.return_types.max; torch.dropout; torch.layer_norm; torch.kl_div",
]

NAMES = [
    "Tensor",
    "Size",
    "Generator",
    "device",
    "dtype",
    "finfo",
    "iinfo",
    "float16",
    "half",
    "bfloat16",
    "float32",
    "float",
    "float64",
    "double",
    "complex64",
    "cfloat",
    "complex128",
    "cdouble",
    "int8",
    "int16",
    "short",
    "int32",
    "int",
    "int64",
    "long",
    "uint8",
    "bool",
    "tensor",
    "as_tensor",
    "from_numpy",
    "from_dlpack",
    "zeros",
    "ones",
    "full",
    "empty",
    "arange",
    "linspace",
    "eye",
    "rand",
    "randn",
    "randint",
    "randperm",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "rand_like",
    "randn_like",
    "randint_like",
    "no_grad",
    "enable_grad",
    "set_grad_enabled",
    "is_grad_enabled",
    "inference_mode",
    "is_inference_mode_enabled",
    "manual_seed",
    "seed",
    "initial_seed",
    "get_rng_state",
    "set_rng_state",
    "save",
    "load",
    "set_printoptions",
    "get_default_dtype",
    "set_default_dtype",
    "is_tensor",
    "is_floating_point",
    "is_complex",
    "is_nonzero",
    "numel",
    "result_type",
    "promote_types",
    "can_cast",
    "set_num_threads",
    "get_num_threads",
    "pi",
    "e",
    "inf",
    "nan",
    "newaxis",
    "autograd",
    "nn",
    "optim",
    "utils",
    "linalg",
    "special",
    "fft",
    "random",
    "profiler",
    "graph",
    "distributions",
    "storage",
    "multiprocessing",
    "UntypedStorage",
    "TypedStorage",
    "is_storage",
    "from_file",
    "frombuffer",
    "set_default_tensor_type",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_import_statements(statement: str) -> None:
    """PyTorch's way to write an import works with specgrad's name, in a fresh namespace."""
    exec(statement, {})


@pytest.mark.parametrize("name", NAMES)
def test_public_name(name: str) -> None:
    """The name is there and ``from specgrad import *`` brings it."""
    assert hasattr(sg, name)
    assert name in sg.__all__


def test_all_names_exist() -> None:
    """``__all__`` has no stale name and no name twice."""
    assert [name for name in sg.__all__ if not hasattr(sg, name)] == []
    assert len(set(sg.__all__)) == len(sg.__all__)


def test_aliases_are_the_same_classes() -> None:
    """specgrad.optim and specgrad.utils.data offer the classes of specgrad.nn, not copies of them."""

    assert sg.optim.Adam is sg.nn.optim.Adam
    assert sg.optim.lr_scheduler.StepLR is sg.nn.optim.lr_scheduler.StepLR
    assert sg.utils.data.DataLoader is sg.nn.data.DataLoader


def test_import_is_lean() -> None:
    """Importing specgrad loads neither SciPy, nor the generator and its libraries, nor the profiler, pictures and
    distributions."""
    code = "import specgrad, sys; print(*(name for name, module in sys.modules.items() if hasattr(module, '__file__')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    later = {
        "profiler",
        "runtime.extensions.profiler.session",
        "graph",
        "masked",
        "signal",
        "quasirandom",
        "return_types",
    }
    later |= {"distributions", "nn.distributions", "nn.functional.torch_forms", "runtime.extensions.profiler.profile"}
    later |= {"runtime.ops.creation.signal_windows", "runtime.extensions.masked", "runtime.ops.numeric.sobol"}
    later |= {"runtime.extensions.distributed.world", "runtime.extensions.distributed.groups.process_group"}
    assert loaded & {f"specgrad.{name}" for name in later} == set()
    assert loaded & {"scipy", "yaml", "jinja2", "specgrad.codegen", "numba", "matplotlib", "torch"} == set()


def test_version_is_the_package_version() -> None:
    """``specgrad.__version__`` is what pyproject.toml says."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert sg.__version__ == project["project"]["version"]
