"""The keys of an entry besides its arguments and outputs, and the words that each of them takes."""

from __future__ import annotations

COMPUTE = ("elementwise", "kernel", "rows", "view", "composite")
NONE = "none"  # in the place of a function's name: that of the op's name is not meant either
COMPUTED = "computed"  # the word of `result_dtype` for outputs that keep the digits of the computation
WITHOUT_GRADIENT = ("bool", "int32", "int64")  # the words of `result_dtype` for outputs of one dtype, whatever goes in

# The errors of wrong calls; LinAlgError where numbers are wrong, which computing shows.
ERRORS = ("IndexError", "LinAlgError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError")
FLOATS = ("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "bool")
DTYPES = (*FLOATS, *INTEGERS)
NUMBERS = {"int": 2, "float": 2.5}  # words of `gives` for Python's numbers, and what stands for them
AUTOCAST = (
    "lower",
    "float32",
    "widest",
    "promote",
    "off",
)  # of `autocast`; others are like ARGUMENT and refuse(why)
AUTOCAST_DEVICES = ("cpu", "cuda")
REFUSED = "refused"  # the word of `gives` for dtypes that the op does not take

# Keys whose value is one of a few words, or a list of them.
CHOICES: dict[str, tuple[str, ...]] = {
    "variants": ("function", "method", "inplace", "formula"),
    "operator": (
        *("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "~", "<<", ">>", "r-"),
        *("==", "!=", "<", "<=", ">", ">=", "neg", "abs", "invert"),
    ),
    "commutative": ("True", "False", "true", "false"),
    "namespace": ("nn.functional", "special", "linalg", "fft"),
    "dtype": ("promote", "float", "match", "accumulate", "same", "none"),
    "result_dtype": ("same", "real", "complex", COMPUTED, *WITHOUT_GRADIENT),
    "dtypes": ("bool", "int", "float", "complex"),
    "identity": ("bool", "int", "float", "complex"),
    "lazy": ("conjugate", "negative"),
    "replaces": ("True", "False", "true", "false"),
    "output_differentiability": ("True", "False", "true", "false"),
    "kink": ("average", "smaller", "larger", "left", "right"),
    "once_differentiable": ("True", "False", "true", "false"),
    "complex": ("True", "False", "true", "false"),
    "precise": ("True", "False", "true", "false"),
    "accepts_f16": ("True", "False", "true", "false"),
    "converts": ("True", "False", "true", "false"),
    "takes_out": ("True", "False", "true", "false"),
}

PER_ITEM = ("result_dtype", "output_differentiability", "kink")  # of which a list has a word for each output or formula

# Keys of which a section may give the value for its entries, besides formulas; the others say what is said of one op.
COMMON = (
    *("variants", "namespace", "dtype", "dtypes", "result_dtype", "output_differentiability", "replaces", "kink"),
    *("complex", "check", "batch", "meta", "domain", "samples", "edge_cases", "errors", "dtype_table"),
    "precise",
)

# Keys that say with what an op is tested, not what it is. Those of an op may stand in a file beside the spec.
TEST_KEYS = (
    *("reference", "samples", "edge_cases", "errors", "dtype_table", "domain", "skip_grad_args", "complex", "example"),
)

# The words of `flags`, true or with a value, and of `dispatch`, which name rules of other ways to compute.
FLAGS = (
    *("commutative", "replaces", "precise", "accepts_f16", "converts", "takes_out", "once_differentiable"),
    *("identity", "ignores", "hook_order", "memory_format_of", "lazy", "eager"),
)
DISPATCH = ("batch", "sparse", "conj", "onnx", "autocast", "meta")
RENAMED = {  # older names of keys, which are read for one version
    "hard": "edge_cases",
    "refuses": "errors",
    "gives": "dtype_table",
    "unvaried": "skip_grad_args",
    "stored": "accepts_f16",
    "hooked": "hook_order",
    "memory_format_of": "memory_format_of",
    "lazy": "lazy",
    "at_once": "eager",
    "conj_rule": "conj",
    "shape": "meta",
}

KEYS = frozenset(
    {
        "name",
        "aliases",
        "backward",
        "check",
        "deprecated",
        "try",
        "flags",
        "dispatch",
        "gradients",
        "tangents",
        "where",
        "doc",
    }
    | {*TEST_KEYS, *FLAGS, *DISPATCH, *COMPUTE, *CHOICES}
)
RESERVED = KEYS | RENAMED.keys()  # what no argument and no output may be called
