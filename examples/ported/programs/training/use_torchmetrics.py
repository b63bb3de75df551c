"""torchmetrics: metrics as functions and as modules that accumulate."""

import torch
import torchmetrics
from fixed import numbers, show
from torchmetrics import functional as M

scores, target = numbers(20, 4).softmax(-1), torch.arange(20) % 4
for name in (
    "Accuracy",
    "F1Score",
    "Precision",
    "Recall",
    "AUROC",
    "CohenKappa",
    "MatthewsCorrCoef",
    "CalibrationError",
):
    metric = getattr(torchmetrics, name)(task="multiclass", num_classes=4)
    for i in range(0, 20, 5):
        metric.update(scores[i : i + 5], target[i : i + 5])
    show(name, metric.compute())
confusion = torchmetrics.ConfusionMatrix(task="multiclass", num_classes=4)
show("confusion", confusion(scores, target))
x, y = numbers(30), numbers(30) * 0.5 + numbers(2, 15).reshape(-1).cos()
for name in (
    "mean_squared_error",
    "mean_absolute_error",
    "r2_score",
    "pearson_corrcoef",
    "spearman_corrcoef",
    "kendall_rank_corrcoef",
    "explained_variance",
):
    show(name, getattr(M, name)(x, y))
show(
    "ssim", M.image.structural_similarity_index_measure(numbers(1, 3, 32, 32).abs(), numbers(1, 3, 32, 32).abs() * 0.9)
)
show(
    "psnr", M.image.peak_signal_noise_ratio(numbers(1, 3, 8, 8).abs(), numbers(1, 3, 8, 8).abs() * 0.9, data_range=1.0)
)
both = torchmetrics.MetricCollection([torchmetrics.MeanSquaredError(), torchmetrics.MeanAbsoluteError()])
show("collection", list(both(x, y).values()))
