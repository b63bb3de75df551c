"""The words of generated docstrings: for types, for arguments that mean the same everywhere, for dtype rules."""

from __future__ import annotations

from collections.abc import Iterable

from ..spec.model import Argument, Entry, Type

_TYPES = {
    "Scalar": "number",
    "ScalarType": "dtype",
    "Tensor": "tensor",
    "Device": "device",
    "Generator": "generator",
    "MemoryFormat": "memory format",
    "ProcessGroup": "process group",
}

_KINDS = {"bool": "bool", "int": "integers", "float": "floats", "complex": "complex numbers"}

# PyTorch gives these names one meaning in all its functions.
_DIMENSION = "counted from the end where negative"
_MEANINGS = {
    "approximate": "'none' or 'tanh'",
    "ceil_mode": "whether windows that reach over the end count",
    "correction": "what the divisor is less than the number of elements",
    "count_include_pad": "whether padding counts in a mean",
    "dilation": "the distance between neighbours in a window",
    "dim": _DIMENSION,
    "dim0": _DIMENSION,
    "dim1": _DIMENSION,
    "dim2": _DIMENSION,
    "dims": _DIMENSION,
    "divisor_override": "what to divide by instead of a window's size",
    "dtype": "that of the computation and the result",
    "end_dim": _DIMENSION,
    "eps": "added to the variance",
    "grad_output": "the gradient of the result",
    "groups": "how many groups of channels are apart from each other",
    "ignore_index": "the class that adds nothing to the loss",
    "input_shape": "the shape of the input",
    "input_sizes": "the shape of the input",
    "keepdim": "whether reduced dimensions stay, with size 1",
    "kernel_size": "the size of a window",
    "memory_format": "a request without effect",
    "non_blocking": "without effect on the CPU",
    "padding_idx": "the row that gets no gradient",
    "reduction": "0 for none, 1 for the mean, 2 for the sum",
    "rounding_mode": "None, 'floor' or 'trunc'",
    "scale_grad_by_freq": "whether a row's gradient is divided by how often its index occurs",
    "sparse_grad": "without effect",
    "start_dim": _DIMENSION,
    "unbiased": "whether to divide by n - 1 instead of n",
}


def alternatives(type_: Type, takes_number: bool = False) -> list[str]:
    """The kinds of values that may be given for a schema type, None last."""
    word = _TYPES.get(type_.base, type_.base)
    items = f"{word}s and None" if type_.optional_items else f"{word}s"
    phrases = [word, "number"] if takes_number else [word]
    if type_.is_list:
        phrases = [word] if type_.size else []
        phrases.append(f"{type_.size} {items}" if (type_.size or 0) > 1 else f"sequence of {items}")
    return [*phrases, "None"] if type_.optional else phrases


def meaning(argument: Argument) -> str:
    """The meaning of an argument that all ops with one of this name share; empty where only the op's doc tells."""
    return _MEANINGS.get(argument.name, "")


def kinds(dtypes: tuple[str, ...]) -> str:
    return "all" if len(dtypes) == len(_KINDS) else ", ".join(_KINDS[kind] for kind in dtypes)


def computed_dtype(rule: str, subject: str, has_multiple_outputs: bool) -> str:
    """The dtype that the spec's rule gives; `subject` is the argument that decides where no other takes part."""
    own = f"the dtype of `{subject}`"
    common = "the common dtype of the arguments" if has_multiple_outputs else own
    return {
        "promote": common,
        "float": f"{common}, the default float for bools and integers",
        "accumulate": f"{common}, int64 for bools and integers",
        "match": "the dtype that all tensors share" if has_multiple_outputs else own,
        "same": own,
    }.get(rule, own)


def result_dtype(rule: str, computed: str) -> str:
    return {
        "same": computed,
        "real": f"{computed}, its real counterpart for complex numbers",
        "computed": f"{computed}, float32 for 16-bit floats",
    }.get(rule, rule)


def out_doc(has_multiple_outputs: Iterable[bool]) -> str:
    """The words on `out` of a function, of which some overloads, or all, have several outputs."""
    kinds = {
        frozenset({False}): "tensor or None, by keyword, takes the result",
        frozenset({True}): "tuple of tensors or None, by keyword, one for each result",
    }
    shown = kinds.get(frozenset(has_multiple_outputs), "tensor, tuple of one for each result, or None, by keyword")
    return f"{shown}; default None."


def deprecated_doc(entries: Iterable[Entry]) -> str:
    """The words on a place that calls of an older form alone fill."""
    forms = dict.fromkeys(f"({', '.join(form)})" for entry in entries for form in entry.deprecated)
    return f"only in older forms of the call, by place: {' or '.join(forms)}."
