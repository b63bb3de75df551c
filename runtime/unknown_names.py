"""What is said of a name that is not there: whether another was meant, and what PyTorch has and specgrad has not."""

import re
import sys
from collections.abc import Iterable

_LONGEST_DIFFERENCE = 8  # letters: `kernel` is meant as `kernel_size`
_LIKENESS = 0.7  # as difflib computes it

NO_SCRIPTS = (
    "there are no TorchScript programs here; a module is saved by specgrad.save(module.state_dict(), file) and loaded "
    "by module.load_state_dict(specgrad.load(file))"
)
NO_HEADERS = (
    "extensions in C++ or CUDA need PyTorch's headers and libraries, which specgrad does not have; an op of your own "
    "is an entry of a spec (docs/adding-an-op.md) or a specgrad.autograd.Function"
)
NO_DEVICES = "specgrad uses no devices of this kind: there are 'cpu' and 'cuda'"
NO_QUANTIZED = "there are no quantized tensors: a model is not observed or converted to them"
NOT_DISTRIBUTED = (
    "not there yet; there are process groups on MPI (init_process_group) and nn.parallel.DistributedDataParallel"
)
NOT_YET = "not there yet"
NO_COMPILER = "no programs are compiled: functions and modules run as they are"
SCRIPT_ATTRIBUTES = frozenset(("code", "define", "graph", "graph_for", "inlined_graph", "save", "save_to_buffer"))

# Names of PyTorch's without their `torch.`, and why they are not there; those of a module as a whole come last.
_ABSENT = (
    (r"(de|fake_|)quantize_?.*|quantized_.*|q_(per|scale|zero).*|qu?int\d.*|qscheme|int_repr|fbgemm_.*", NO_QUANTIZED),
    (r"empty_quantized|choose_qparams.*|fused_moving_avg.*|nn\.(qat|intrinsic|quantizable)", NO_QUANTIZED),
    (r"(cudnn|miopen|mkldnn)_.*", "kernels are specgrad's own, and have the names of ops"),
    (r"(Lite)?Script\w+|parse_(ir|schema|type_comment)|import_ir_module.*", NO_SCRIPTS),
    (r"u?int[1-7]|bits\d.*|float4_.*|float8_e(4m3|5m2|8m0)fnuz?", "there is no such dtype"),
    (r"sparse_bs[rc]_tensor|sparse\.\w*SemiStructured.*|sparse\.to_sparse_semi.*", "sparse tensors have no blocks"),
    (r".*_(ipu|xla)(_.*)?", NO_DEVICES),
    (
        r"lobpcg|hash_tensor|package|monitor|sparse\.(spsolve|solve)|func\.rearrange|nn\.functional\.\w+_mm",
        "not there yet",
    ),
    (
        r"library\.(triton_op|wrap_triton)|cuda\.(jiterator|cudart|CUDAPluggableAllocator|MemPool|tunable)",
        "not there yet",
    ),
    (r"(ao\.)?quantization\.\w+|nn\.quantized\.\w+", NO_QUANTIZED),
    (r"jit\.\w+", NO_SCRIPTS),
    (r"(mps|mtia|xpu)\.\w+", NO_DEVICES),
    (r"(compiler|_dynamo|_inductor)\.\w+", NO_COMPILER),
    (r"distributed\.(\w+\.)*[A-Za-z]\w*", NOT_DISTRIBUTED),
)


def not_available(name: str, why: str) -> str:
    """The sentence about a name of PyTorch's, which begins with that of its module."""
    return f"specgrad has no {name}: {why}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`. Did you mean 'x'?`, or nothing. Names that begin with an underscore are asked for by programs."""
    if not isinstance(name, str) or name.startswith("_"):
        return ""
    from difflib import get_close_matches  # only programs that fail need it

    similar = [other for other in names if abs(len(other) - len(name)) <= _LONGEST_DIFFERENCE and other[:1] != "_"]
    lower = {other.lower(): other for other in reversed(similar)}
    matches = get_close_matches(name.lower(), lower, n=1, cutoff=_LIKENESS)
    return f". Did you mean {lower[matches[0]]!r}?" if matches else ""


def no_attribute(module: str, name: str) -> AttributeError:
    """For the `__getattr__` of a module."""
    hint = ""
    if not name.startswith("_"):  # what the import system and libraries look for
        hint = did_you_mean(name, dir(sys.modules[module]))
        full = f"{module}.{name}".partition(".")[2]
        why = next((why for pattern, why in _ABSENT if re.fullmatch(pattern, full)), None)
        if why is not None and not hint:
            return AttributeError(not_available(full, why))
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
