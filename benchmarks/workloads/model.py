"""Training steps of whole models, and single-sample inference."""

from .making import filled, inference, integers, plain, training
from .registering import workload

model = workload("model")


def perceptron(torch):
    """784 - 256 - 256 - 10."""
    nn = torch.nn
    layers = nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
    return filled(torch, nn.Sequential(*layers))


@model
def train_perceptron(torch):
    """784 - 256 - 256 - 10, batch 64, Adam."""
    net = perceptron(torch)
    return training(torch, net, torch.optim.Adam(net.parameters()), plain(torch, (64, 784))[0])


def convolutional(torch):
    """Two convolutions with norms and pooling on pictures of 28 x 28."""
    nn = torch.nn
    layers = (
        *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(32 * 7 * 7, 10)),
    )
    return filled(torch, nn.Sequential(*layers))


@model
def train_convolutional(torch):
    """Two convolutions with norms and pooling on 28 x 28, batch 32, AdamW."""
    net = convolutional(torch)
    return training(torch, net, torch.optim.AdamW(net.parameters()), plain(torch, (32, 1, 28, 28))[0])


def residual(torch):
    """Three residual blocks of 16 channels on pictures of 16 x 16."""
    nn = torch.nn

    class Block(nn.Module):
        """x + f(x)."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = (nn.Conv2d(16, 16, 3, padding=1, bias=False) for _ in range(2))
            self.norm1, self.norm2 = nn.BatchNorm2d(16), nn.BatchNorm2d(16)

        def forward(self, x):
            y = torch.relu(self.norm1(self.first(x)))
            return torch.relu(x + self.norm2(self.second(y)))

    blocks = [Block() for _ in range(3)]
    layers = nn.Conv2d(3, 16, 3, padding=1), *blocks, nn.AvgPool2d(16), nn.Flatten(), nn.Linear(16, 10)
    return filled(torch, nn.Sequential(*layers))


@model
def train_residual(torch):
    """Three residual blocks of 16 channels on 16 x 16, batch 16, SGD."""
    net = residual(torch)
    return training(
        torch, net, torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9), plain(torch, (16, 3, 16, 16))[0]
    )


@model
def train_lstm(torch):
    """A language model on characters: embedding 32, LSTM 128, 32 steps, batch 16."""
    nn = torch.nn

    class Characters(nn.Module):
        """Embedding, LSTM, and scores of the next character after the last step."""

        def __init__(self) -> None:
            super().__init__()
            self.table, self.lstm, self.head = (
                nn.Embedding(64, 32),
                nn.LSTM(32, 128, batch_first=True),
                nn.Linear(128, 64),
            )

        def forward(self, x):
            return self.head(self.lstm(self.table(x))[0][:, -1])

    net = filled(torch, Characters())
    x = integers(torch, 64, 16, 32)
    return training(torch, net, torch.optim.Adam(net.parameters()), x, classes=64)


def transformer(torch):
    """Two encoder layers of width 64 with 4 heads, mean over 32 positions."""
    nn = torch.nn

    class Encoder(nn.Module):
        """Embedding, encoder layers, mean over positions, scores."""

        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(100, 64)
            layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
            self.encoder, self.head = nn.TransformerEncoder(layer, 2), nn.Linear(64, 10)

        def forward(self, x):
            return self.head(self.encoder(self.table(x)).mean(1))

    return filled(torch, Encoder())


@model
def train_transformer(torch):
    """Two encoder layers of width 64 with 4 heads, 32 positions, batch 16, AdamW."""
    net = transformer(torch)
    x = integers(torch, 100, 16, 32)
    return training(torch, net, torch.optim.AdamW(net.parameters()), x)


@model
def infer_perceptron(torch):
    """784 - 256 - 256 - 10 on one sample."""
    return inference(torch, perceptron(torch), plain(torch, (1, 784))[0])


@model
def infer_convolutional(torch):
    """Two convolutions with norms and pooling on one picture of 28 x 28."""
    return inference(torch, convolutional(torch), plain(torch, (1, 1, 28, 28))[0])


@model
def infer_residual(torch):
    """Three residual blocks on one picture of 16 x 16."""
    return inference(torch, residual(torch), plain(torch, (1, 3, 16, 16))[0])


@model
def infer_transformer(torch):
    """Two encoder layers on one sentence of 32 positions."""
    return inference(torch, transformer(torch), integers(torch, 100, 1, 32))
