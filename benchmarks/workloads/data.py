"""Loading data, and saving and loading what was learnt."""

import io

from .making import filled, giving, plain
from .registering import workload

data = workload("data")


def loading(torch, count, **options):
    """One pass over some pictures of 28 x 28 in batches of 64; the sum of all."""
    pictures, labels = plain(torch, (count, 1, 28, 28), (count,))
    sets = torch.utils.data
    loader = sets.DataLoader(sets.TensorDataset(pictures, labels), batch_size=64, **options)

    def step():
        for batch, _ in loader:
            last = batch
        return last

    return step


@data
def loader(torch):
    """1024 pictures in batches of 64."""
    return loading(torch, 1024)


@data
def loader_shuffled(torch):
    """1024 pictures in batches of 64, in random order."""
    return giving(loading(torch, 1024, shuffle=True), list)  # libraries draw other numbers


@data
def loader_two_workers(torch):
    """1024 pictures in batches of 64, from two processes that stay."""
    return loading(torch, 1024, num_workers=2, persistent_workers=True)


@data
def collated(torch):
    """A batch of 64 pairs of tensors and numbers, put together."""
    pictures = plain(torch, *[(3, 32, 32)] * 64)
    samples = [(picture, number) for number, picture in enumerate(pictures)]
    collate = torch.utils.data.default_collate
    return lambda: collate(samples)


def saved(torch):
    """A network's state of a million numbers, and where it is saved."""
    model = filled(torch, torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(4)]))
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return model, file


@data
def state_dict_saved(torch):
    """Four layers of 512 x 512, written into memory."""
    model, _ = saved(torch)
    return giving(lambda: torch.save(model.state_dict(), io.BytesIO()), lambda: list(model.parameters()))


@data
def state_dict_loaded(torch):
    """Four layers of 512 x 512, read from memory into a model."""
    model, file = saved(torch)

    def step():
        file.seek(0)
        model.load_state_dict(torch.load(file))

    return giving(step, lambda: list(model.parameters()))


@data
def tensor_from_list(torch):
    """A tensor of a thousand Python numbers."""
    values = [0.5 * number for number in range(1000)]
    return lambda: torch.tensor(values)


@data
def to_and_from_numpy(torch):
    """A million numbers of NumPy's as a tensor, and back."""
    array = plain(torch, (1_000_000,))[0].numpy()
    return lambda: torch.from_numpy(array).numpy()
