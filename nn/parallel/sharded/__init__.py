"""Modules whose parameters, gradients and optimizer states lie on all ranks, a part on each."""
