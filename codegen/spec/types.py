"""The types of schemas: what each is called in annotations and docstrings, and which values it has. One line a type."""

from dataclasses import dataclass

NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
STRING = r"'[^'\\\n]*'|\"[^\"\\\n]*\""


@dataclass(frozen=True)
class TypeInfo:
    hint: str  # its annotation
    noun: str  # in docstrings
    check: str  # the function of runtime/dispatch/argument_checks.py
    default: str = "(?!)"  # what defaults look like
    code: str = "a"  # of an argument that plans know, as KernelOp has it
    class_test: str = ""  # of an expression
    values: tuple[str, ...] = ()  # the kinds of values in samples; without any it takes anything


NUMBERS = ("int", "float", "bool", "complex")
TYPES = {
    "Tensor": TypeInfo("Tensor", "tensor", "tensor", code="T", class_test="isinstance({}, Tensor)", values=("tensor",)),
    "Scalar": TypeInfo("Number", "number", "scalar", rf"{NUMBER}|True|False", "f", "{}.__class__ in NUMBERS", NUMBERS),
    "int": TypeInfo("int", "int", "integer", r"-?\d+", "n", "{}.__class__ is int", ("int",)),
    "float": TypeInfo("float", "float", "floating", NUMBER, "f", values=("int", "float")),
    "bool": TypeInfo("bool", "bool", "boolean", "True|False", "b", "{}.__class__ is bool", ("bool",)),
    "str": TypeInfo("str", "str", "string", STRING, "s", "{}.__class__ is str", ("str",)),
    "ScalarType": TypeInfo("dtype", "dtype", "dtype", values=("name",)),
    "Device": TypeInfo("DeviceLike", "device", "device"),
    "Generator": TypeInfo("Generator", "generator", "generator"),
    "MemoryFormat": TypeInfo("memory_format", "memory format", "memory_format"),
    "ProcessGroup": TypeInfo("Any", "process group", "process_group", values=("ranks",)),
}
