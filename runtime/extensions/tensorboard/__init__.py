"""Event files that TensorBoard shows: what `utils.tensorboard` offers, written by the package `tensorboard`."""
