"""Names by which older programs speak to TorchScript: functions stay as they are."""

from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035 - programs import them from here

from .jit.annotations import BroadcastingList1, BroadcastingList2, BroadcastingList3
from .runtime.pytorch.compilers.scripting import export, ignore, is_scripting, unused
from .runtime.pytorch.compilers.scripting import overload as _copy_to_script_wrapper  # noqa: F401
from .runtime.pytorch.compilers.scripting import overload as _overload  # noqa: F401
from .runtime.pytorch.compilers.scripting import overload as _overload_method  # noqa: F401
from .runtime.pytorch.compilers.scripting import overload as weak_module
from .runtime.pytorch.compilers.scripting import overload as weak_script
from .runtime.pytorch.compilers.scripting import overload as weak_script_method

__all__ = [
    "Any",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "Final",
    "List",
    "Optional",
    "Tuple",
    "Union",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "unused",
    "weak_module",
    "weak_script",
    "weak_script_method",
]


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """One function of two, of which an argument chooses.

    Args:
        arg_name, arg_index: its name and its place.
        default: its value where it is not given.
        if_true, if_false: the functions.
        module_name, func_name: what the function is called.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        given = args[arg_index] if len(args) > arg_index else kwargs.get(arg_name, default)
        return (if_true if given else if_false)(*args, **kwargs)

    function.__name__, function.__module__, function.__doc__ = func_name, module_name, if_true.__doc__
    return function
