"""Compiled kernels on disk, found by what they were compiled from: carried with specgrad, or kept from earlier runs."""
