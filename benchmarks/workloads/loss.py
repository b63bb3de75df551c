"""Losses, forward and backward."""

from .making import backward, integers, leaves, plain, positive, through
from .registering import workload

loss = workload("loss")


@loss
def cross_entropy(torch):
    """Rows of 1000 classes, 256 of them."""
    target = integers(torch, 1000, 256)
    return through(torch, lambda x: torch.nn.functional.cross_entropy(x, target), (256, 1000))


@loss
def cross_entropy_smoothed(torch):
    """Rows of 1000 classes, 256 of them, with label smoothing."""
    target = integers(torch, 1000, 256)
    return through(torch, lambda x: torch.nn.functional.cross_entropy(x, target, label_smoothing=0.1), (256, 1000))


@loss
def cross_entropy_pixels(torch):
    """21 classes for each pixel of 4 pictures of 64 x 64."""
    target = integers(torch, 21, 4, 64, 64)
    return through(torch, lambda x: torch.nn.functional.cross_entropy(x, target), (4, 21, 64, 64))


@loss
def nll_loss(torch):
    """log_softmax and nll_loss, 256 rows of 1000."""
    (a,), target = leaves(torch, (256, 1000)), integers(torch, 1000, 256)
    functional = torch.nn.functional
    return backward([a], lambda: functional.nll_loss(functional.log_softmax(a, 1), target))


@loss
def mse_loss(torch):
    """256 x 1024 numbers."""
    (target,) = plain(torch, (256, 1024))
    return through(torch, lambda x: torch.nn.functional.mse_loss(2 * x, target), (256, 1024))


@loss
def mse_loss_small(torch):
    """32 numbers."""
    (target,) = plain(torch, (32, 1))
    return through(torch, lambda x: torch.nn.functional.mse_loss(2 * x, target), (32, 1))


@loss
def smooth_l1_loss(torch):
    """256 x 1024 numbers."""
    (target,) = plain(torch, (256, 1024))
    return through(torch, lambda x: torch.nn.functional.smooth_l1_loss(3 * x, target), (256, 1024))


@loss
def bce_with_logits(torch):
    """256 x 1024 numbers."""
    target = positive(torch, 256, 1024) - 0.1
    return through(torch, lambda x: torch.nn.functional.binary_cross_entropy_with_logits(x, target), (256, 1024))


@loss
def kl_div(torch):
    """256 rows of 1000."""
    target = torch.softmax(plain(torch, (256, 1000))[0], 1)
    functional = torch.nn.functional
    return through(
        torch, lambda x: functional.kl_div(functional.log_softmax(2 * x, 1), target, reduction="batchmean"), (256, 1000)
    )


@loss
def cosine_similarity(torch):
    """1024 pairs of 128 numbers."""
    return through(torch, lambda a, b: torch.nn.functional.cosine_similarity(a, b), (1024, 128), (1024, 128))


@loss
def triplet_margin(torch):
    """512 triplets of 128 numbers."""
    return through(torch, torch.nn.TripletMarginLoss(), (512, 128), (512, 128), (512, 128))


@loss
def ctc_loss(torch):
    """16 sequences of 50 steps over 20 labels, of which 10 to 15 are meant."""
    targets, lengths = integers(torch, 19, 16, 15) + 1, integers(torch, 6, 16) + 10
    steps, function = torch.full((16,), 50), torch.nn.functional.ctc_loss
    return through(torch, lambda x: function(x.log_softmax(2), targets, steps, lengths), (50, 16, 20))
