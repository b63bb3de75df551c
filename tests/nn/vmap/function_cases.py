"""The functions of nn.functional with examples of their arguments, for the tests that run them all under vmap."""

from __future__ import annotations

from typing import Any

from specgrad import nn
from tests.nn.vmap.activation_cases import ACTIVATION_FUNCTIONS
from tests.nn.vmap.cases import Case, classes, probabilities, reals, signs
from tests.nn.vmap.image_cases import IMAGE_FUNCTIONS

F = nn.functional


def attention() -> Any:
    """Attention of a sequence to itself, with all weights as arguments."""

    def call(x: Any, weight: Any, bias: Any, out_weight: Any, out_bias: Any) -> Any:
        given = (None, None, False, 0.0, out_weight, out_bias)
        return F.multi_head_attention_forward(x, x, x, 4, 2, weight, bias, *given, need_weights=False)[0]

    return call


LATE_FUNCTIONS = {  # which are loaded when they are first named
    "conv_tbc": Case(lambda: lambda x, w, b: F.conv_tbc(x, w, b, 1), [reals(5, 2, 3), reals(2, 3, 4), reals(4)]),
    "native_channel_shuffle": Case(lambda: lambda x: F.native_channel_shuffle(x, 2), [reals(2, 4, 3)]),
    "max_pool1d_with_indices": Case(lambda: lambda x: F.max_pool1d_with_indices(x, 2)[0], [reals(3, 4)]),
    "max_pool2d_with_indices": Case(lambda: lambda x: F.max_pool2d_with_indices(x, 2)[0], [reals(3, 4, 4)]),
    "max_pool3d_with_indices": Case(lambda: lambda x: F.max_pool3d_with_indices(x, 2)[0], [reals(2, 2, 4, 4)]),
    "adaptive_max_pool1d_with_indices": Case(
        lambda: lambda x: F.adaptive_max_pool1d_with_indices(x, 2)[0], [reals(3, 4)]
    ),
    "adaptive_max_pool2d_with_indices": Case(
        lambda: lambda x: F.adaptive_max_pool2d_with_indices(x, 2)[0], [reals(3, 4, 3)]
    ),
    "adaptive_max_pool3d_with_indices": Case(
        lambda: lambda x: F.adaptive_max_pool3d_with_indices(x, 2)[0], [reals(2, 3, 4, 2)]
    ),
    "fractional_max_pool2d_with_indices": Case(
        lambda: lambda x, u: F.fractional_max_pool2d_with_indices(x, 2, 3, _random_samples=u)[0],
        [reals(1, 2, 5, 6), probabilities(1, 2, 2)],
        [1],
    ),
    "fractional_max_pool3d_with_indices": Case(
        lambda: lambda x, u: F.fractional_max_pool3d_with_indices(x, 2, 2, _random_samples=u)[0],
        [reals(2, 3, 4, 4), probabilities(1, 2, 3)],
        [1],
    ),
}

FUNCTIONS = {
    **ACTIVATION_FUNCTIONS,
    **IMAGE_FUNCTIONS,
    **LATE_FUNCTIONS,
    "adaptive_avg_pool2d": Case(lambda: lambda x: F.adaptive_avg_pool2d(x, 2), [reals(3, 4, 4)]),
    "avg_pool1d": Case(lambda: lambda x: F.avg_pool1d(x, 2), [reals(3, 4)]),
    "avg_pool2d": Case(lambda: lambda x: F.avg_pool2d(x, 2, ceil_mode=True), [reals(3, 5, 5)]),
    "batch_norm": Case(lambda: lambda x, w: F.batch_norm(x, None, None, w, training=True), [reals(4, 3), reals(3)]),
    "binary_cross_entropy": Case(lambda: F.binary_cross_entropy, [probabilities(4), probabilities(4)]),
    "binary_cross_entropy_with_logits": Case(
        lambda: lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
        [reals(2, 4), probabilities(2, 4), probabilities(4)],
        [2],
    ),
    "conv1d": Case(lambda: F.conv1d, [reals(2, 2, 5), reals(3, 2, 3), reals(3)]),
    "conv2d": Case(lambda: F.conv2d, [reals(2, 2, 5, 4), reals(3, 2, 3, 2), reals(3)]),
    "cross_entropy": Case(lambda: F.cross_entropy, [reals(5, 4), classes(5), probabilities(4)], [2]),
    "dropout": Case(lambda: lambda x: F.dropout(x, 1.0), [reals(4)]),
    "elu": Case(lambda: F.elu, [reals(4)]),
    "elu_": Case(lambda: lambda x: F.elu_(x * 1), [reals(4)]),
    "embedding": Case(lambda: lambda i, w: F.embedding(i, w), [classes(5), reals(4, 3)]),
    "gelu": Case(lambda: F.gelu, [reals(4)]),
    "hardtanh": Case(lambda: F.hardtanh, [reals(4)]),
    "hardtanh_": Case(lambda: lambda x: F.hardtanh_(x * 1), [reals(4)]),
    "l1_loss": Case(lambda: F.l1_loss, [reals(4), reals(4)]),
    "layer_norm": Case(lambda: lambda x, w, b: F.layer_norm(x, (4,), w, b), [reals(3, 4), reals(4), reals(4)]),
    "leaky_relu": Case(lambda: F.leaky_relu, [reals(4)]),
    "leaky_relu_": Case(lambda: lambda x: F.leaky_relu_(x * 1), [reals(4)]),
    "linear": Case(lambda: F.linear, [reals(2, 3), reals(4, 3), reals(4)]),
    "linear_cross_entropy": Case(lambda: F.linear_cross_entropy, [reals(5, 3), reals(4, 3), classes(5)]),
    "log_softmax": Case(lambda: lambda x: F.log_softmax(x, dim=0), [reals(4, 2)]),
    "logsigmoid": Case(lambda: F.logsigmoid, [reals(4)]),
    "max_pool1d": Case(lambda: lambda x: F.max_pool1d(x, 2), [reals(3, 4)]),
    "max_pool2d": Case(lambda: lambda x: F.max_pool2d(x, 2, return_indices=True)[0], [reals(3, 4, 4)]),
    "mse_loss": Case(lambda: lambda x, y: F.mse_loss(x, y, reduction="none"), [reals(4), reals(4)]),
    "nll_loss": Case(lambda: F.nll_loss, [reals(5, 4), classes(5)]),
    "one_hot": Case(lambda: lambda i: F.one_hot(i, 4), [classes(5)]),
    "pad": Case(lambda: lambda x: F.pad(x, (1, 2, 0, 1), value=2.0), [reals(3, 4)]),
    "relu": Case(lambda: F.relu, [reals(4)]),
    "relu6": Case(lambda: F.relu6, [reals(4)]),
    "relu_": Case(lambda: lambda x: F.relu_(x * 1), [reals(4)]),
    "sigmoid": Case(lambda: F.sigmoid, [reals(4)]),
    "silu": Case(lambda: F.silu, [reals(4)]),
    "softmax": Case(lambda: lambda x: F.softmax(x, dim=-1), [reals(4, 2)]),
    "softmin": Case(lambda: lambda x: F.softmin(x, dim=-1), [reals(4, 2)]),
    "softplus": Case(lambda: F.softplus, [reals(4)]),
    "tanh": Case(lambda: F.tanh, [reals(4)]),
    "adaptive_avg_pool1d": Case(lambda: lambda x: F.adaptive_avg_pool1d(x, 2), [reals(3, 4)]),
    "adaptive_avg_pool3d": Case(lambda: lambda x: F.adaptive_avg_pool3d(x, 2), [reals(2, 3, 4, 2)]),
    "adaptive_max_pool1d": Case(lambda: lambda x: F.adaptive_max_pool1d(x, 2), [reals(3, 4)]),
    "adaptive_max_pool2d": Case(lambda: lambda x: F.adaptive_max_pool2d(x, 2), [reals(3, 4, 3)]),
    "adaptive_max_pool3d": Case(lambda: lambda x: F.adaptive_max_pool3d(x, 2), [reals(2, 3, 4, 2)]),
    "avg_pool3d": Case(lambda: lambda x: F.avg_pool3d(x, 2, divisor_override=3), [reals(2, 2, 4, 4)]),
    "conv3d": Case(lambda: F.conv3d, [reals(1, 2, 3, 3, 2), reals(2, 2, 2, 2, 2), reals(2)]),
    "conv_transpose1d": Case(lambda: F.conv_transpose1d, [reals(2, 2, 4), reals(2, 3, 3), reals(3)]),
    "conv_transpose2d": Case(
        lambda: lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2), [reals(2, 2, 3, 2), reals(2, 1, 2, 2)]
    ),
    "conv_transpose3d": Case(lambda: F.conv_transpose3d, [reals(2, 2, 2, 3), reals(2, 2, 2, 1, 2)]),
    "group_norm": Case(lambda: lambda x, w, b: F.group_norm(x, 2, w, b), [reals(2, 4, 3), reals(4), reals(4)]),
    "instance_norm": Case(lambda: lambda x, w: F.instance_norm(x, weight=w), [reals(2, 3, 4), reals(3)]),
    "local_response_norm": Case(lambda: lambda x: F.local_response_norm(x, 3), [reals(2, 4, 3)]),
    "max_pool3d": Case(lambda: lambda x: F.max_pool3d(x, 2), [reals(2, 2, 4, 4)]),
    "max_unpool1d": Case(lambda: lambda x: F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2), [reals(3, 4)]),
    "max_unpool2d": Case(
        lambda: lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), [reals(3, 4, 4)]
    ),
    "max_unpool3d": Case(
        lambda: lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2), [reals(2, 2, 4, 2)]
    ),
    "multi_head_attention_forward": Case(attention, [reals(3, 2, 4), reals(12, 4), reals(12), reals(4, 4), reals(4)]),
    "rms_norm": Case(lambda: lambda x, w: F.rms_norm(x, (4,), w), [reals(2, 4), reals(4)]),
    "scaled_dot_product_attention": Case(
        lambda: F.scaled_dot_product_attention, [reals(2, 3, 4), reals(2, 5, 4), reals(2, 5, 4)]
    ),
    "cosine_embedding_loss": Case(lambda: F.cosine_embedding_loss, [reals(4, 3), reals(4, 3), signs(4)], [2]),
    "cosine_similarity": Case(lambda: F.cosine_similarity, [reals(2, 3), reals(2, 3)]),
    "gaussian_nll_loss": Case(lambda: F.gaussian_nll_loss, [reals(2, 3), reals(2, 3), probabilities(2, 3)]),
    "hinge_embedding_loss": Case(lambda: F.hinge_embedding_loss, [reals(4), signs(4)], [1]),
    "huber_loss": Case(lambda: F.huber_loss, [reals(4), reals(4)]),
    "kl_div": Case(lambda: lambda x, y: F.kl_div(x, y, reduction="batchmean"), [reals(2, 3), probabilities(2, 3)]),
    "margin_ranking_loss": Case(lambda: F.margin_ranking_loss, [reals(4), reals(4), signs(4)], [2]),
    "multi_margin_loss": Case(lambda: F.multi_margin_loss, [reals(5, 4), classes(5)]),
    "multilabel_margin_loss": Case(lambda: F.multilabel_margin_loss, [reals(2, 4), classes(2, 4)]),
    "multilabel_soft_margin_loss": Case(lambda: F.multilabel_soft_margin_loss, [reals(2, 4), probabilities(2, 4)]),
    "normalize": Case(lambda: F.normalize, [reals(2, 3)]),
    "bilinear": Case(lambda: F.bilinear, [reals(2, 3), reals(2, 4), reals(5, 3, 4), reals(5)]),
    "pdist": Case(lambda: F.pdist, [reals(4, 3)]),
    "pairwise_distance": Case(lambda: F.pairwise_distance, [reals(2, 3), reals(2, 3)]),
    "poisson_nll_loss": Case(lambda: F.poisson_nll_loss, [reals(4), probabilities(4)]),
    "smooth_l1_loss": Case(lambda: F.smooth_l1_loss, [reals(4), reals(4)]),
    "soft_margin_loss": Case(lambda: F.soft_margin_loss, [reals(4), signs(4)], [1]),
    "triplet_margin_loss": Case(lambda: F.triplet_margin_loss, [reals(2, 3), reals(2, 3), reals(2, 3)]),
    "triplet_margin_with_distance_loss": Case(
        lambda: F.triplet_margin_with_distance_loss, [reals(2, 3), reals(2, 3), reals(2, 3)]
    ),
    "alpha_dropout": Case(lambda: lambda x: F.alpha_dropout(x, 1.0, True), [reals(4)]),
    "dropout1d": Case(lambda: lambda x: F.dropout1d(x, 1.0), [reals(2, 4)]),
    "dropout2d": Case(lambda: lambda x: F.dropout2d(x, 1.0), [reals(1, 2, 4, 1)]),
    "dropout3d": Case(lambda: lambda x: F.dropout3d(x, 1.0), [reals(2, 4, 1, 1)]),
    "embedding_bag": Case(lambda: F.embedding_bag, [classes(2, 3), reals(4, 3)]),
    "feature_alpha_dropout": Case(lambda: lambda x: F.feature_alpha_dropout(x, 1.0, True), [reals(2, 4)]),
    "lp_pool1d": Case(lambda: lambda x: F.lp_pool1d(x, 2, 2), [reals(3, 4)]),
    "lp_pool2d": Case(lambda: lambda x: F.lp_pool2d(x, 2, 2), [reals(3, 4, 4)]),
    "lp_pool3d": Case(lambda: lambda x: F.lp_pool3d(x, 2, 2), [reals(2, 2, 4, 2)]),
    "ctc_loss": Case(
        lambda: lambda x, y: F.ctc_loss(x, y, [4, 3], [2, 1], blank=4), [reals(4, 2, 5), classes(2, 2, high=4)]
    ),
    "fractional_max_pool2d": Case(
        lambda: lambda x, u: F.fractional_max_pool2d(x, 2, 3, _random_samples=u),
        [reals(1, 2, 5, 6), probabilities(1, 2, 2)],
        [1],
    ),
    "fractional_max_pool3d": Case(
        lambda: lambda x, u: F.fractional_max_pool3d(x, 2, 2, _random_samples=u),
        [reals(2, 3, 4, 4), probabilities(1, 2, 3)],
        [1],
    ),
}
