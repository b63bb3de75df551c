"""Each layer at a realistic size, forward and backward with the gradients of input and parameters."""

from .registering import leaves, plain, through, workload

layer = workload("layer")


@layer
def linear(torch):
    """512 to 512, batch 128."""
    return through(torch, torch.nn.Linear(512, 512), (128, 512))


@layer
def conv1d(torch):
    """64 to 64 channels, kernel 5, length 256, batch 8."""
    return through(torch, torch.nn.Conv1d(64, 64, 5, padding=2), (8, 64, 256))


@layer
def conv2d(torch):
    """32 to 64 channels, 3 x 3, pictures of 28 x 28, batch 16."""
    return through(torch, torch.nn.Conv2d(32, 64, 3, padding=1), (16, 32, 28, 28))


@layer
def conv2d_strided(torch):
    """3 to 64 channels, 7 x 7 with stride 2, pictures of 64 x 64, batch 8."""
    return through(torch, torch.nn.Conv2d(3, 64, 7, stride=2, padding=3), (8, 3, 64, 64))


@layer
def conv2d_pointwise(torch):
    """64 to 128 channels, 1 x 1, pictures of 28 x 28, batch 8."""
    return through(torch, torch.nn.Conv2d(64, 128, 1), (8, 64, 28, 28))


@layer
def conv2d_depthwise(torch):
    """64 groups of one channel, 3 x 3, pictures of 28 x 28, batch 8."""
    return through(torch, torch.nn.Conv2d(64, 64, 3, padding=1, groups=64), (8, 64, 28, 28))


@layer
def conv3d(torch):
    """8 to 16 channels, 3 x 3 x 3, 12 x 16 x 16, batch 2."""
    return through(torch, torch.nn.Conv3d(8, 16, 3, padding=1), (2, 8, 12, 16, 16))


@layer
def conv_transpose2d(torch):
    """32 to 16 channels, 4 x 4 with stride 2, 16 x 16 to 32 x 32, batch 8."""
    return through(torch, torch.nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), (8, 32, 16, 16))


@layer
def max_pool2d(torch):
    """2 x 2 windows on 32 x 56 x 56, batch 8."""
    return through(torch, torch.nn.MaxPool2d(2), (8, 32, 56, 56))


@layer
def avg_pool2d(torch):
    """2 x 2 windows on 32 x 56 x 56, batch 8."""
    return through(torch, torch.nn.AvgPool2d(2), (8, 32, 56, 56))


@layer
def batch_norm2d(torch):
    """32 channels of 28 x 28, batch 16, training."""
    return through(torch, torch.nn.BatchNorm2d(32), (16, 32, 28, 28))


@layer
def layer_norm(torch):
    """Rows of 512, 1024 of them."""
    return through(torch, torch.nn.LayerNorm(512), (1024, 512))


@layer
def group_norm(torch):
    """8 groups of 32 channels of 28 x 28, batch 16."""
    return through(torch, torch.nn.GroupNorm(8, 32), (16, 32, 28, 28))


@layer
def rms_norm(torch):
    """Rows of 512, 1024 of them."""
    return through(torch, torch.nn.RMSNorm(512), (1024, 512))


@layer
def softmax(torch):
    """Rows of 1000, 256 of them."""
    return through(torch, torch.nn.Softmax(-1), (256, 1000))


@layer
def cross_entropy(torch):
    """Rows of 1000 classes, 256 of them."""
    target = torch.randint(0, 1000, (256,))
    return through(torch, lambda x: torch.nn.functional.cross_entropy(x, target), (256, 1000))


@layer
def gelu(torch):
    """256 x 1024 numbers."""
    return through(torch, torch.nn.GELU(), (256, 1024))


@layer
def silu(torch):
    """256 x 1024 numbers."""
    return through(torch, torch.nn.SiLU(), (256, 1024))


@layer
def dropout(torch):
    """256 x 1024 numbers, half of them dropped."""
    return through(torch, torch.nn.Dropout(0.5), (256, 1024))


@layer
def embedding(torch):
    """4096 rows of 128 out of a table of 10000."""
    table, index = torch.nn.Embedding(10000, 128), torch.randint(0, 10000, (64, 64))

    def step() -> None:
        table.weight.grad = None
        table(index).sum().backward()

    return step


@layer
def attention(torch):
    """Causal attention of 8 heads, 128 positions of 64, batch 4."""
    attend = torch.nn.functional.scaled_dot_product_attention
    return through(torch, lambda q, k, v: attend(q, k, v, is_causal=True), *[(4, 8, 128, 64)] * 3)


@layer
def multihead_attention(torch):
    """8 heads, 64 positions of 256, batch 8."""
    attend = torch.nn.MultiheadAttention(256, 8, batch_first=True)
    inputs = leaves(torch, (8, 64, 256))
    return through(torch, lambda x: attend(x, x, x, need_weights=False), tuple(inputs[0].shape))


@layer
def rnn(torch):
    """State 128, 32 steps, batch 16."""
    return through(torch, torch.nn.RNN(64, 128), (32, 16, 64))


@layer
def lstm(torch):
    """State 128, 32 steps, batch 16."""
    return through(torch, torch.nn.LSTM(64, 128), (32, 16, 64))


@layer
def gru(torch):
    """State 128, 32 steps, batch 16."""
    return through(torch, torch.nn.GRU(64, 128), (32, 16, 64))


def optimizing(torch, make):
    """One step of an optimizer over a million parameters in four tensors."""
    parameters = leaves(torch, *[(512, 512)] * 4)
    for p, g in zip(parameters, plain(torch, *[(512, 512)] * 4), strict=True):
        p.grad = g
    return make(parameters).step


@layer
def sgd_step(torch):
    """SGD with momentum over a million parameters."""
    return optimizing(torch, lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9))


@layer
def adamw_step(torch):
    """AdamW over a million parameters."""
    return optimizing(torch, lambda p: torch.optim.AdamW(p, lr=1e-4))


@layer
def clip_grad_norm(torch):
    """The norm of a million gradients, scaled down to 1."""
    parameters = leaves(torch, *[(512, 512)] * 4)
    for p, g in zip(parameters, plain(torch, *[(512, 512)] * 4), strict=True):
        p.grad = g
    return lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0)
