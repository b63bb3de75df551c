"""Masks of attention as functions of places, and which blocks of queries and keys such a mask leaves out."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.extensions.vmap.vmap import vmap
from ...runtime.ops.creation import arange, tensor, zeros
from ...runtime.tensor.dtypes import bool_, int32, int64

Modification = Callable[..., Tensor]
BLOCK = 128  # queries, and keys, of a block
_ARRAYS = (
    *("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices"),
    *("q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices"),
)


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask that leaves nothing out: the arguments are the place, as for every mask."""
    return tensor(True, device=batch.device)


def and_masks(*mask_mods: Modification) -> Modification:
    """The mask of what all `mask_mods`, functions of a place, let through; a RuntimeError where one is no function."""
    return _combined(mask_mods, True, lambda one, other: one & other)


def or_masks(*mask_mods: Modification) -> Modification:
    """The mask of what any of `mask_mods`, functions of a place, lets through; a RuntimeError for no function."""
    return _combined(mask_mods, False, lambda one, other: one | other)


def _combined(masks: tuple[Modification, ...], empty: bool, join: Callable[[Any, Any], Any]) -> Modification:
    if not all(callable(mask) for mask in masks):
        raise RuntimeError(f"All inputs should be callable mask_mods: {masks}")

    def combined_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result: Any = tensor(empty, device=b.device)
        for mask in masks:
            result = join(result, mask(b, h, q_idx, kv_idx))
        return result

    return combined_mask


def over_indices(function: Modification, shape: tuple[int, ...], device: Any, *scores: Tensor) -> Tensor:
    """function(score, b, h, q, kv), or without a score, at each place of a shape of four dimensions."""
    visible = [arange(size, device=device, dtype=int32) for size in shape]
    own = (0,) * len(scores)
    mapped: Any = function
    for d in (3, 2, 1, 0):
        mapped = vmap(mapped, in_dims=(*own, *(0 if i == d else None for i in range(4))))
    return mapped(*scores, *visible)


def create_mask(
    mod_fn: Modification, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """A mask of all places as one tensor of bools, or the scores that a function makes of zeros.

    Args:
        mod_fn: mask(b, h, q_idx, kv_idx), or score_mod(score, b, h, q_idx, kv_idx).
        B, H: batches and heads; 1 when None.
        Q_LEN, KV_LEN: queries and keys.
        device: where the tensor is made.

    Shape: (B, H, Q_LEN, KV_LEN).

    Example:
        >>> from specgrad.nn.attention.flex_attention import create_mask
        >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
        tensor([[[[ True, False],
                  [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    if positional(mod_fn) == 5:
        return over_indices(mod_fn, shape, device, zeros(shape, device=device))
    result = over_indices(mod_fn, shape, device)
    return ops.expand(result, shape)


def positional(function: Modification) -> int:
    from inspect import Parameter, signature

    positional_kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(
        p.kind in positional_kinds and p.default is Parameter.empty for p in signature(function).parameters.values()
    )


def create_block_mask(
    mask_mod: Modification,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = BLOCK,
    _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """The blocks of a mask: which have places that it lets through, and which have no others.

    Args:
        mask_mod: mask(b, h, q_idx, kv_idx), True where a query may look at a key.
        B, H: batches and heads; 1 when None.
        Q_LEN, KV_LEN: queries and keys.
        device: where the tensors are made.
        BLOCK_SIZE: queries and keys of a block.
        _compile: without effect.
        separate_full_blocks: whether blocks without masked places are listed apart.

    Example:
        >>> from specgrad.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
        >>> mask.shape, mask.sparsity()
        ((1, 1, 256, 256), 25.0)
    """
    if positional(mask_mod) != 4:
        raise TypeError("create_block_mask(): expected a mask_mod of four arguments: b, h, q_idx, kv_idx")
    sizes = _block_size(BLOCK_SIZE)
    rows, columns = (-(-length // size) for length, size in zip((Q_LEN, KV_LEN), sizes, strict=True))
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    padded = ops.constant_pad_nd(mask, (0, columns * sizes[1] - KV_LEN, 0, rows * sizes[0] - Q_LEN), False)
    cut = ops.reshape(padded, (*mask.shape[:2], rows, sizes[0], columns, sizes[1]))
    counts = ops.sum(cut, (3, 5))
    full = counts == prod(sizes) if separate_full_blocks else counts < 0
    partial = (counts > 0) & ~full
    return _of_blocks(partial, full if separate_full_blocks else None, (Q_LEN, KV_LEN), sizes, mask_mod)


def _block_size(value: int | tuple[int, int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def _listed(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks each row has, and their columns, those that it does not have behind."""
    order = ops.argsort(blocks.to(int32), descending=True, dim=-1, stable=True)
    return ops.sum(blocks, -1).to(int32), order.to(int32)


def _blocks(counts: Tensor, indices: Tensor, columns: int) -> Tensor:
    is_listed = arange(indices.shape[-1], device=indices.device) < counts.unsqueeze(-1)
    result = zeros((*indices.shape[:-1], columns), dtype=int64, device=indices.device)
    return ops.scatter_add(result, -1, indices.to(int64), is_listed.to(int64)) > 0


def _of_blocks(
    partial: Tensor, full: Tensor | None, lengths: tuple[int, int], sizes: tuple[int, int], mask_mod: Modification
) -> BlockMask:
    nothing = (None, None)
    rows: Any = (*_listed(partial), *(nothing if full is None else _listed(full)))
    transposed: Any = (*_listed(partial.mT), *(nothing if full is None else _listed(full.mT)))
    arrays = dict(zip(_ARRAYS, (*rows, *transposed), strict=True))
    return BlockMask(lengths, **arrays, BLOCK_SIZE=sizes, mask_mod=mask_mod)


class BlockMask:
    """A mask of attention by blocks: for each row of blocks the columns of those that are partly or wholly let through.

    `create_block_mask` makes one of a function, `from_kv_blocks` of lists.

    Args:
        seq_lengths: the numbers of queries and keys.
        kv_num_blocks, kv_indices: for each row, how many blocks have masked places besides others, and their columns.
        full_kv_num_blocks, full_kv_indices: the same for blocks without masked places; None where there are none.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same for each column, in rows.
        BLOCK_SIZE: queries and keys of a block.
        mask_mod: what masks the places of blocks that have both.
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None = None,
        q_indices: Tensor | None = None,
        full_q_num_blocks: Tensor | None = None,
        full_q_indices: Tensor | None = None,
        BLOCK_SIZE: tuple[int, int] = (BLOCK, BLOCK),
        mask_mod: Modification = noop_mask,
    ) -> None:
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE, self.mask_mod = BLOCK_SIZE, mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = BLOCK,
        mask_mod: Modification | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """A mask of lists of columns; what is said of rows in columns is found, unless `compute_q_blocks` is False.

        Args:
            kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices: as of the class.
            BLOCK_SIZE, mask_mod: as of the class; nothing is masked in blocks when there is no function.
            seq_lengths: the numbers of queries and keys; multiples of a block when not given.
            compute_q_blocks: whether the lists of rows are made.
        """
        sizes, rows = _block_size(BLOCK_SIZE), kv_indices.shape[-2]
        columns = kv_indices.shape[-1]
        lengths = seq_lengths or (rows * sizes[0], columns * sizes[1])
        transposed: list[Any] = [None] * 4
        if compute_q_blocks:
            transposed[:2] = _listed(_blocks(kv_num_blocks, kv_indices, columns).mT)
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                transposed[2:] = _listed(_blocks(full_kv_num_blocks, full_kv_indices, columns).mT)
        args: Any = kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices
        arrays = dict(zip(_ARRAYS, (*args, *transposed), strict=True))
        return cls(lengths, **arrays, BLOCK_SIZE=sizes, mask_mod=mask_mod or noop_mask)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """The number of places."""
        return prod(self.shape)

    def sparsity(self) -> float:
        """How much of the places lies in blocks that are left out, in percent."""
        retained = int(self.kv_num_blocks.sum().item())
        if self.full_kv_num_blocks is not None:
            retained += int(self.full_kv_num_blocks.sum().item())
        return 100 * (1 - retained * prod(self.BLOCK_SIZE) / self.numel())

    def _kinds(self) -> tuple[Tensor, Tensor]:
        columns = self.kv_indices.shape[-1]
        partial = _blocks(self.kv_num_blocks, self.kv_indices, columns)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return partial, partial & ~partial
        return partial, _blocks(self.full_kv_num_blocks, self.full_kv_indices, columns)

    def to_dense(self) -> Tensor:
        """1 for each block that is not left out, an int32 of every row and column of blocks."""
        partial, full = self._kinds()
        return (partial | full).to(int32)

    def visible(self) -> Tensor:
        """Which query may look at which key, as bools: whole blocks, and in others what the mask lets through."""
        partial, full = (self._mask_of_indices(blocks) for blocks in self._kinds())
        shape = tuple(partial.shape)
        return full | (partial & over_indices(self.mask_mod, shape, partial.device).to(bool_))

    def _mask_of_indices(self, blocks: Tensor) -> Tensor:
        for dim, size in zip((-2, -1), self.BLOCK_SIZE, strict=True):
            blocks = ops.repeat_interleave(blocks, size, dim=dim)
        return blocks[..., : self.seq_lengths[0], : self.seq_lengths[1]]

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """What the mask is made of: lengths and sizes of blocks in two parts each, if `flatten`."""
        ends = (*self.seq_lengths,) if flatten else (self.seq_lengths,)
        sizes = (*self.BLOCK_SIZE,) if flatten else (self.BLOCK_SIZE,)
        return (*ends, *(getattr(self, name) for name in _ARRAYS), *sizes, self.mask_mod)

    def _with(self, change: Callable[[Tensor], Tensor], lengths: tuple[int, int] | None = None) -> BlockMask:
        made: Any = {name: None if getattr(self, name) is None else change(getattr(self, name)) for name in _ARRAYS}
        return BlockMask(lengths or self.seq_lengths, **made, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def to(self, device: Any) -> BlockMask:
        """The mask with its tensors on another device."""
        return self._with(lambda array: array.to(device))

    def __getitem__(self, index: Any) -> BlockMask:
        """The mask of some batches, and heads: these dimensions are kept."""
        parts = index if isinstance(index, tuple) else (index,)
        retained = tuple(slice(part, part + 1 or None) if isinstance(part, int) else part for part in parts)
        return self._with(lambda array: array[retained])

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        rows, columns = (-(-new // size) for new, size in zip((new_q_len, new_kv_len), self.BLOCK_SIZE, strict=True))
        partial, full = (blocks[..., :rows, :columns] for blocks in self._kinds())
        wholly = None if self.full_kv_indices is None else full
        return _of_blocks(partial, wholly, (new_q_len, new_kv_len), self.BLOCK_SIZE, self.mask_mod)

    def to_string(self) -> str:
        """A picture of the blocks: full, partly let through, left out."""
        partial, full = self._kinds()
        lines = []
        for b in range(partial.shape[0]):
            for h in range(partial.shape[1]):
                rows = zip(partial[b, h].tolist(), full[b, h].tolist(), strict=True)
                lines += [f"({b}, {h})", *("".join(map(_sign, *row)) for row in rows)]
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string()}\n)"

    def __repr__(self) -> str:
        result = ((name, getattr(self, name)) for name in _ARRAYS)
        lines = [f"    {name}={None if array is None else tuple(array.shape)}," for name, array in result]
        about = f"BLOCK_SIZE={self.BLOCK_SIZE}, shape={self.shape}, sparsity={self.sparsity():.2f}%"
        name = getattr(self.mask_mod, "__name__", repr(self.mask_mod))
        return "\n".join(["BlockMask(", *lines, f"    {about}, mask_mod={name}", ")"])


def _sign(partial: bool, full: bool) -> str:
    return "██" if full else "░░" if partial else "  "
