"""What users are told: errors, each a subclass of what a PyTorch user expects for the same mistake, and warnings."""

import os
import sys
import warnings
from pickle import UnpicklingError

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_error_message: set[str] = set()  # warnings that are not said again


class ShapeError(RuntimeError):
    """Shapes that do not broadcast, multiply or view into one another."""


class DtypeError(RuntimeError):
    """A dtype that the op does not compute in, or dtypes that had to be equal and are not."""


class UnsupportedDtypeError(DtypeError, NotImplementedError):
    """A dtype of a kind that the op does not compute in."""


class DeviceError(RuntimeError):
    """A device that does not exist here, or tensors on devices that had to be equal and are not."""


class NoDataError(NotImplementedError):
    """A call that needs the elements of a tensor without memory."""


class AcceleratorError(RuntimeError):
    """A call of the CUDA driver that failed, or an access to memory of a device that it would not survive."""


class OutOfMemoryError(RuntimeError):
    """A device has too little memory left."""


class ArgumentError(TypeError):
    """An argument of the wrong Python type."""


class RefusedValueError(ValueError, AssertionError):
    """A value that PyTorch refuses by an assertion; callers may expect either class."""


class NotFiniteError(ValueError, OverflowError):
    """inf or nan where an integer is asked for; Python's own int() raises either of these classes."""


class DimensionError(IndexError):
    """A dimension outside `[-ndim, ndim - 1]`."""


class BadIndexError(DimensionError, RuntimeError):
    """An index out of bounds that a kernel of a device was given: it is skipped, and raised when the program waits."""


class GraphError(RuntimeError):
    """A backward pass that cannot run: buffers freed, nothing to differentiate, a gradient of wrong shape."""


class NoGraphError(GraphError, AssertionError):
    """A tensor without a place in the graph, where PyTorch asserts that it has one."""


class InplaceError(RuntimeError):
    """A tensor was changed in place where that is forbidden, or where its old value is still needed."""


class NotDifferentiableError(RuntimeError):
    """The derivative that was asked for is not defined by the op."""


class LinAlgError(RuntimeError):
    """A matrix that has no inverse, is not positive-definite, or whose decomposition does not converge."""


class SerializationError(RuntimeError, UnpicklingError):
    """An object that cannot be saved, or a file that cannot be read."""


class UnsafeFileError(SerializationError):
    """A file that names what it may not call."""


def type_name(value: object) -> str:
    """Name of the type of `value` as error messages show it (`Tensor`, `NoneType`, `numpy.ndarray`)."""
    cls = type(value)
    return f"numpy.{cls.__name__}" if cls.__module__ == "numpy" else cls.__name__


def warn_once(message: str) -> None:
    """Warn the first time that a program comes here, at the innermost line outside this package."""
    if message not in _error_message:
        _error_message.add(message)
        warn_user(message)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
