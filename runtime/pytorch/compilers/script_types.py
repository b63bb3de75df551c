"""Classes of TorchScript's programs, which libraries name in annotations and `isinstance`: nothing here is of one."""

from __future__ import annotations

from typing import Any

from .scripting import ScriptFunction

TYPES = (
    *("AnyType", "AwaitType", "BoolType", "ClassType", "ComplexType", "DeviceObjType", "DictType", "EnumType"),
    *("FloatType", "FutureType", "InterfaceType", "IntType", "ListType", "NoneType", "NumberType", "OptionalType"),
    *("PyObjectType", "RRefType", "StreamObjType", "StringType", "SymBoolType", "SymIntType", "TensorType"),
    *("TupleType", "Type", "UnionType"),
)
PARTS = (
    *("Argument", "Block", "Code", "FunctionSchema", "JITException", "ScriptClass", "ScriptDict", "ScriptList"),
    *("ScriptMethod", "ScriptObject", "TracingState", "Use"),
)


def _class(name: str, what: str) -> Any:
    namespace = {"__doc__": f"{what} of TorchScript's programs: there are none.", "__module__": __name__}
    return type(name, (ScriptFunction,), namespace)


KINDS: dict[str, Any] = {
    **{name: _class(name, "A type") for name in TYPES},
    **{name: _class(name, "A part") for name in PARTS},
}


class BroadcastingListCls:
    """`BroadcastingList2[int]` is a number, or a list of two: to Python nothing."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()


def __getattr__(name: str) -> Any:
    if name in KINDS:
        return KINDS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
