"""Which layer of a model failed: a note on the error, `in "3.conv1" (Conv2d)`.

A module does not know its name. Each call that the error passes on its way out finds, among its module's submodules,
the one that the error came from, and puts the name before those found so far."""

from typing import Any
from weakref import ref

_ABOUT_VALUES = (RuntimeError, ValueError, IndexError, TypeError, AttributeError)
_STATE = "_failed_layer"  # on the error: the class of the innermost module, the path, the module of the last call


def note_layer(module: Any, error: Exception) -> None:
    """Called for the module of each call that `error` leaves."""
    if not isinstance(error, _ABOUT_VALUES):
        return
    layer, path, last = getattr(error, _STATE, (type(module).__name__, "", None))
    if last is not None:
        inner = last()
        name = next((name for name, other in module.named_modules() if other is inner and name), None)
        if name is None:
            return
        _remove_note(error, _note(path, layer))
        path = f"{name}.{path}" if path else name
        error.add_note(_note(path, layer))
    setattr(error, _STATE, (layer, path, ref(module)))


def _note(path: str, layer: str) -> str:
    return f'in "{path}" ({layer})'


def _remove_note(error: Exception, note: str) -> None:
    notes = getattr(error, "__notes__", [])
    if note in notes:
        notes.remove(note)
