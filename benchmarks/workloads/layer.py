"""Each layer at a realistic size, forward and backward with the gradients of input and parameters."""

from .making import backward, filled, giving, integers, through
from .registering import workload

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
    step = through(torch, torch.nn.Dropout(0.5), (256, 1024))
    return giving(step, list)  # libraries draw other numbers


@layer
def embedding(torch):
    """4096 rows of 128 out of a table of 10000."""
    table, index = filled(torch, torch.nn.Embedding(10000, 128)), integers(torch, 10000, 64, 64)
    return backward([table.weight], lambda: table(index).sum())


@layer
def linear_narrow(torch):
    """64 to 64, batch 32."""
    return through(torch, torch.nn.Linear(64, 64), (32, 64))


@layer
def linear_wide(torch):
    """1024 to 4096, batch 64."""
    return through(torch, torch.nn.Linear(1024, 4096), (64, 1024))


@layer
def bilinear(torch):
    """64 and 64 to 32, batch 128."""
    return through(torch, torch.nn.Bilinear(64, 64, 32), (128, 64), (128, 64))


@layer
def conv1d_dilated(torch):
    """32 to 32 channels, kernel 3 with dilation 4, length 1024, batch 8."""
    return through(torch, torch.nn.Conv1d(32, 32, 3, padding=4, dilation=4), (8, 32, 1024))


@layer
def conv2d_large(torch):
    """64 to 64 channels, 3 x 3, pictures of 56 x 56, batch 4."""
    return through(torch, torch.nn.Conv2d(64, 64, 3, padding=1), (4, 64, 56, 56))


@layer
def conv2d_small(torch):
    """1 to 8 channels, 3 x 3, one picture of 28 x 28."""
    return through(torch, torch.nn.Conv2d(1, 8, 3), (1, 1, 28, 28))


@layer
def conv_transpose1d(torch):
    """32 to 32 channels, kernel 4 with stride 2, length 256 to 512, batch 8."""
    return through(torch, torch.nn.ConvTranspose1d(32, 32, 4, stride=2, padding=1), (8, 32, 256))


@layer
def max_pool1d(torch):
    """Windows of 3 with stride 2 on 64 x 1024, batch 8."""
    return through(torch, torch.nn.MaxPool1d(3, 2), (8, 64, 1024))


@layer
def max_pool3d(torch):
    """2 x 2 x 2 windows on 8 x 16 x 32 x 32, batch 2."""
    return through(torch, torch.nn.MaxPool3d(2), (2, 8, 16, 32, 32))


@layer
def adaptive_avg_pool2d(torch):
    """28 x 28 to 7 x 7, 64 channels, batch 8."""
    return through(torch, torch.nn.AdaptiveAvgPool2d(7), (8, 64, 28, 28))


@layer
def interpolate_nearest(torch):
    """28 x 28 to 56 x 56, 32 channels, batch 4."""
    interpolate = torch.nn.functional.interpolate
    return through(torch, lambda x: interpolate(x, scale_factor=2, mode="nearest"), (4, 32, 28, 28))


@layer
def interpolate_bilinear(torch):
    """28 x 28 to 56 x 56, 32 channels, batch 4."""
    interpolate = torch.nn.functional.interpolate
    return through(torch, lambda x: interpolate(x, scale_factor=2, mode="bilinear"), (4, 32, 28, 28))


@layer
def batch_norm1d(torch):
    """256 features, batch 512, training."""
    return through(torch, torch.nn.BatchNorm1d(256), (512, 256))


@layer
def instance_norm2d(torch):
    """32 channels of 28 x 28, batch 16."""
    return through(torch, torch.nn.InstanceNorm2d(32, affine=True), (16, 32, 28, 28))


@layer
def pad_reflect(torch):
    """Pictures of 56 x 56 with three more at each side, 16 channels, batch 8."""
    return through(torch, torch.nn.ReflectionPad2d(3), (8, 16, 56, 56))


@layer
def grid_sample(torch):
    """Two pictures of 3 x 64 x 64 at as many points, forward and backward."""
    grid = torch.nn.functional.affine_grid(torch.eye(2, 3).expand(2, 2, 3) * 0.9, (2, 3, 64, 64), align_corners=False)
    sample = torch.nn.functional.grid_sample
    return through(torch, lambda x: sample(x, grid, align_corners=False), (2, 3, 64, 64))


@layer
def pixel_shuffle(torch):
    """16 channels of 16 x 16 to 4 of 32 x 32."""
    return through(torch, lambda x: torch.nn.functional.pixel_shuffle(x, 2), (2, 16, 16, 16))


@layer
def unfold(torch):
    """Patches of 4 x 4 of pictures of 3 x 32 x 32."""
    return through(torch, lambda x: torch.nn.functional.unfold(x, 4, stride=4), (2, 3, 32, 32))
