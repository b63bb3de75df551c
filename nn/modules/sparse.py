"""Layers that look up rows of a table, one by one or in bags."""

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.ops.creation import empty
from ...runtime.tensor.grad_mode import no_grad
from .. import functional as F
from .. import init
from ..docstrings import completed_from
from ..parameter import Parameter
from .module.base import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    weight: Parameter
    padding_idx: int | None

    def __init__(
        self, rows: int, columns: int, max_norm: float | None, norm_type: float, scale_grad_by_freq: bool, sparse: bool
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.num_embeddings = argument_checks.integer(name, "num_embeddings", rows)
        self.embedding_dim = argument_checks.integer(name, "embedding_dim", columns)
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse = sparse

    def _set_weight(self, value: Tensor | None, requires_grad: bool, device: Any, dtype: Any) -> None:
        shape = (self.num_embeddings, self.embedding_dim)
        if value is None:
            self.weight = Parameter(empty(shape, device=device, dtype=dtype), requires_grad)
            self.reset_parameters()
        elif tuple(value.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(value, requires_grad)

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def _with_options(self, **defaults: Any) -> str:
        values = {name: getattr(self, name) for name in defaults}
        options = [f"{name}={value!r}" for name, value in values.items() if value != defaults[name]]
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *options])


class Embedding(_Table):
    """A table of learned vectors, looked up by index.

    Formula: y[..., :] = weight[x[...], :]

    Args:
        num_embeddings: rows of the table.
        embedding_dim: length of each vector.
        padding_idx: a row that starts as zeros and gets no gradient.
        max_norm: rows that are looked up are scaled down to this norm (in place).
        norm_type: the p of the p-norm that max_norm refers to.
        scale_grad_by_freq: divide gradients by how often the index appears in the batch.
        sparse: whether the gradient of the table is sparse: for `SGD`, `Adagrad` and `SparseAdam`.
        _weight: a table to start with.
        _freeze: whether the table is not learned.
        device: where the table lies.
        dtype: its dtype.

    Shape: Input: (*), integers. Output: (*, embedding_dim).

    Attributes:
        weight: the table, of shape (num_embeddings, embedding_dim); starts as N(0, 1).

    Raises:
        IndexError: an index outside the table.
        RuntimeError: indices that are not int64 or int32.
        AssertionError: padding_idx outside the table, or _weight of another shape.

    Example:
        >>> list(sg.nn.Embedding(10, 3)(sg.tensor([[1, 2], [4, 3]])).shape)
        [2, 2, 3]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, sparse)
        padding_idx = argument_checks.optional_integer("Embedding", "padding_idx", padding_idx)
        self.padding_idx = _row("Padding_idx", padding_idx, self.num_embeddings)
        self._set_weight(_weight, not _freeze, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        return self._with_options(padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, sparse=False)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> "Embedding":
        """An Embedding over a given table, which is not learned unless `freeze` is False.

        Args:
            embeddings: the table, of shape (num_embeddings, embedding_dim).
            freeze: whether it stays as it is.
            padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: as of `Embedding`.

        Raises: AssertionError: the table is no matrix.

        Example:
            >>> sg.nn.Embedding.from_pretrained(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))(sg.tensor([1]))
            tensor([[3., 4.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, columns, *options, _weight=embeddings, _freeze=freeze)


def _row(name: str, index: int | None, rows: int) -> int | None:
    if index is not None and not -rows <= index < rows:
        raise AssertionError(f"{name} must be within num_embeddings")
    return None if index is None else index % rows


@completed_from(Embedding)
class EmbeddingBag(_Table):
    """A table of learned vectors, of which those in each bag of indices are added up, averaged or compared.

    Formula: y[b, :] = sum over i in bag b of w[i] weight[x[i], :]

    Args:
        scale_grad_by_freq: divide gradients by how often the index appears.
        mode: 'sum', 'mean' or 'max'.
        include_last_offset: whether the last offset is where the last bag ends.
        padding_idx: a row that is in no bag, whatever the indices say.

    Shape: Input: (B, N), integers, or (N) with offsets (B). Output: (B, embedding_dim).

    Raises:
        IndexError: an index outside the table.
        ValueError: no offsets of one dimension where they are needed, or an unknown mode.

    Example:
        >>> list(sg.nn.EmbeddingBag(10, 3)(sg.tensor([1, 2, 4, 3]), sg.tensor([0, 3])).shape)
        [2, 3]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, sparse)
        self.padding_idx = _row("padding_idx", padding_idx, self.num_embeddings)
        self.mode, self.include_last_offset = mode, include_last_offset
        self._set_weight(_weight, True, device, dtype)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        defaults = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "mode": None, "padding_idx": None}
        return self._with_options(**defaults)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> "EmbeddingBag":
        """An EmbeddingBag over a given table, which is not learned unless `freeze` is False.

        Args:
            embeddings: the table, of shape (num_embeddings, embedding_dim).
            freeze: whether it stays as it is.
            max_norm, norm_type, scale_grad_by_freq: as of `EmbeddingBag`.
            mode, sparse, include_last_offset, padding_idx: as of `EmbeddingBag`.

        Raises: AssertionError: the table is no matrix.

        Example:
            >>> sg.nn.EmbeddingBag.from_pretrained(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))(sg.tensor([[1, 0]]))
            tensor([[2., 3.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        result = cls(
            embeddings.shape[0],
            embeddings.shape[1],
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        result.weight.requires_grad = not freeze
        return result
