"""The family of softmax, with PyTorch's dimension for calls that name none."""

import warnings

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.tensor.dtypes import dtype as Dtype
from ...runtime.tensor.overrides import NOT_HANDLED, overridden_in, plain
from ...runtime.tracebacks import hide_internal_frames
from ..docstrings import completed_from


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension.

    Args:
        input: the tensor x.
        dim: the dimension along which exponentials are summed.
        dtype: the dtype of the computation and of the result; that of input when left out.

    Shape: Any; the output has that of input.

    Raises: IndexError: dim is not a dimension of input.

    Example:
        >>> sg.nn.functional.softmax(sg.tensor([0.0, 0.0]), dim=0)
        tensor([0.5000, 0.5000])
    """
    try:
        if input.__class__ not in plain and (result := overridden_in(softmax, locals())) is not NOT_HANDLED:
            return result
        return ops.softmax(input, _chosen_dim("softmax", input, dim, _stacklevel), dtype)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(softmax)
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """exp(-x) / sum(exp(-x)) along a dimension: `softmax` of -x.

    Example:
        >>> sg.nn.functional.softmin(sg.tensor([0.0, 1000.0]), dim=0)
        tensor([1., 0.])
    """
    dim = _chosen_dim("softmin", input, dim, _stacklevel)
    return ops.softmax(-input, dim, dtype)


@completed_from(softmax)
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """x - log(sum(exp(x))) along a dimension: the logarithm of `softmax`, without its loss of precision.

    Example:
        >>> sg.nn.functional.log_softmax(sg.tensor([0.0, 1000.0]), dim=0)
        tensor([-1000.,     0.])
    """
    if input.__class__ not in plain and (result := overridden_in(log_softmax, locals())) is not NOT_HANDLED:
        return result
    return ops.log_softmax(input, _chosen_dim("log_softmax", input, dim, _stacklevel), dtype)


def _chosen_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    argument_checks.tensor(name, "input", input)
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=argument_checks.integer(name, "_stacklevel", stacklevel),
    )
    return 0 if input.ndim in (0, 1, 3) else 1
