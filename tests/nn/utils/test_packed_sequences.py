"""Sequences of several lengths: packing, padding, and layers on packed sequences."""

from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(0)
LENGTHS = [2, 5, 1, 5]


def sequences_of(lib: Any, lengths: list[int] = LENGTHS, width: int = 3) -> list[Any]:
    return [lib.from_numpy(RNG.standard_normal((n, width))) for n in lengths]


def test_packing(lib: Any) -> None:
    """The first steps of all sequences come first, those of the longest in front, then the second steps."""
    rnn = lib.nn.utils.rnn
    packed = rnn.pack_sequence([lib.tensor([1, 2, 3]), lib.tensor([4, 5]), lib.tensor([6])])
    assert packed.data.tolist() == [1, 4, 6, 2, 5, 3]
    assert packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.sorted_indices is None
    mixed = rnn.pack_sequence([lib.tensor([6]), lib.tensor([1, 2, 3]), lib.tensor([4, 5])], enforce_sorted=False)
    assert mixed.data.tolist() == packed.data.tolist()
    assert mixed.sorted_indices.tolist() == [1, 2, 0]
    assert mixed.unsorted_indices.tolist() == [2, 0, 1]


@pytest.mark.parametrize("batch_first", [False, True])
def test_there_and_back(lib: Any, batch_first: bool) -> None:
    """Padding, packing and unpacking give the sequences back, with their gradients."""
    rnn, parts = lib.nn.utils.rnn, sequences_of(lib)
    parts[1].requires_grad_()
    padded = rnn.pad_sequence(parts, batch_first=batch_first, padding_value=7.0)
    assert padded.shape == ((4, 5, 3) if batch_first else (5, 4, 3))
    assert (padded.transpose(0, 1) if not batch_first else padded)[2, 1:].eq(7).all()
    packed = rnn.pack_padded_sequence(padded, LENGTHS, batch_first=batch_first, enforce_sorted=False)
    again, lengths = rnn.pad_packed_sequence(packed, batch_first=batch_first, padding_value=7.0)
    assert lengths.tolist() == LENGTHS
    assert (again == padded).all()
    for one, other in zip(rnn.unpack_sequence(packed), parts, strict=True):
        assert (one == other).all()
    again.sum().backward()
    assert (parts[1].grad == 1).all()


def test_more_padding(lib: Any) -> None:
    """Padding on the left, and up to a length; unpadding takes it away."""
    rnn = lib.nn.utils.rnn
    parts = [lib.tensor([1, 2, 3]), lib.tensor([4])]
    assert rnn.pad_sequence(parts, True, 9, "left").tolist() == [[1, 2, 3], [9, 9, 4]]
    padded, _ = rnn.pad_packed_sequence(rnn.pack_sequence(parts), True, total_length=5)
    assert padded.tolist() == [[1, 2, 3, 0, 0], [4, 0, 0, 0, 0]]
    assert [t.tolist() for t in rnn.unpad_sequence(padded, lib.tensor([3, 1]), True)] == [[1, 2, 3], [4]]


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True}], ids=str)
def test_layers(lib: Any, kind: str, options: dict[str, Any]) -> None:
    """A layer on packed sequences gives what it gives on each by itself: outputs, states, and gradients."""
    layer = getattr(lib.nn, kind)(3, 4, **options).double()
    parts = sequences_of(lib)
    packed = lib.nn.utils.rnn.pack_sequence(parts, enforce_sorted=False)
    output, last = layer(packed)
    lasts = last if isinstance(last, tuple) else (last,)
    found = lib.nn.utils.rnn.unpack_sequence(output)
    sum((o**2).sum() for o in (*found, *lasts)).backward()
    batch = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    for number, part in enumerate(parts):
        single, state = layer(part)
        states = state if isinstance(state, tuple) else (state,)
        assert lib.allclose(found[number], single)
        for one, other in zip(lasts, states, strict=True):
            assert lib.allclose(one[:, number], other)
        sum((o**2).sum() for o in (single, *states)).backward()
    for one, p in zip(batch, layer.parameters(), strict=True):
        assert lib.allclose(one, p.grad)


def test_states_belong_to_sequences(lib: Any) -> None:
    """Given states are in the order of the sequences as they were given, not as they are packed."""
    layer, parts = lib.nn.GRU(3, 4).double(), sequences_of(lib)
    first = lib.from_numpy(RNG.standard_normal((1, 4, 4)))
    _, last = layer(lib.nn.utils.rnn.pack_sequence(parts, enforce_sorted=False), first)
    for number, part in enumerate(parts):
        assert lib.allclose(last[:, number], layer(part, first[:, number])[1])


def test_conversions(lib: Any) -> None:
    """`to` and its kin change the data; nothing to change gives the same sequence."""
    packed = lib.nn.utils.rnn.pack_sequence([lib.ones(2), lib.ones(1)])
    assert packed.double().data.dtype is lib.float64
    assert packed.to(lib.float32) is packed
    assert packed.is_cuda == lib.ones(1).is_cuda
    assert packed.long().data.tolist() == [1, 1, 1]
    with pytest.raises(AssertionError, match="Expected data to be a list or tuple of length 2"):
        lib.nn.utils.rnn.PackedSequence(lib.ones(3))


ERRORS = {
    "pack_padded_sequence(z(4, 3, 2), [2, 3, 4])": (RuntimeError, "must be sorted in decreasing order"),
    "pack_padded_sequence(z(4, 3, 2), [4, 3])": (RuntimeError, r"but got 2 \(batch_size=3\)"),
    "pack_padded_sequence(z(4, 3, 2), [4, 3, 0])": (RuntimeError, "Length of all samples has to be greater than 0"),
    "pack_padded_sequence(z(0, 3, 2), [1, 1, 1])": (RuntimeError, "Cannot pack empty tensors"),
    "pad_packed_sequence(pack_sequence([z(3)]), total_length=2)": (ValueError, "Expected total_length to be at least"),
    "pad_sequence([])": (RuntimeError, "received an empty list of sequences"),
    "pad_sequence([z(2)], padding_side='x')": (RuntimeError, "padding_side to be one of left or right, but got x"),
    "pad_sequence([z(2, 3), z(2, 4)])": (RuntimeError, "size"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(lib: Any, text: str) -> None:
    """Mistakes are PyTorch's errors."""
    error, message = ERRORS[text]
    with pytest.raises(error, match=message):
        eval(text, {**vars(lib.nn.utils.rnn), "z": lib.zeros})


def test_length_beyond_the_padding() -> None:
    """A length of more steps than there are is refused."""
    import specgrad as sg

    with pytest.raises(RuntimeError, match="Expected lengths up to the number of steps, 4, but got 5"):
        sg.nn.utils.rnn.pack_padded_sequence(sg.zeros(4, 1, 2), [5])


def test_padding_takes_the_first_dtype(lib: Any) -> None:
    """The first sequence says the dtype of all; one without dimensions is refused, and so are tables of lengths."""
    rnn = lib.nn.utils.rnn
    padded = rnn.pad_sequence([lib.tensor([1, 2]), lib.tensor([3.5])])
    assert padded.dtype == lib.int64 and padded.tolist() == [[1, 3], [2, 0]]
    with pytest.raises(RuntimeError):
        rnn.pad_sequence([lib.tensor(1.0)])
    with pytest.raises(RuntimeError):
        rnn.pack_padded_sequence(lib.ones(3, 1, 2), lib.tensor([[3]]))


@pytest.mark.parametrize("sizes", [[2**31, 1], [2**62], [2, 3], [2, 2, 2], [3, 2, 0], []])
def test_batch_sizes_that_the_data_has_not(sizes: list[int]) -> None:
    """Sizes that grow, are not positive or do not add up to the data's rows are refused at once."""
    import specgrad as sg

    rnn = sg.nn.utils.rnn
    packed = rnn.PackedSequence(sg.zeros(5, 2), sg.tensor(sizes, dtype=sg.int64, device="cpu"))
    with pytest.raises(RuntimeError, match="expected batch_sizes that are positive, never grow, and add up"):
        rnn.pad_packed_sequence(packed)


def test_total_length(lib: Any) -> None:
    """More steps than any sequence has are padding; those that memory cannot hold are refused."""
    rnn = lib.nn.utils.rnn
    packed = rnn.pack_sequence([lib.tensor([1.0, 2.0, 3.0]), lib.tensor([4.0])])
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=9.0, total_length=5)
    assert padded.tolist() == [[1, 2, 3, 9, 9], [4, 9, 9, 9, 9]] and lengths.tolist() == [3, 1]
    with pytest.raises(RuntimeError):
        rnn.pad_packed_sequence(packed, total_length=2**60)
