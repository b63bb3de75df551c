"""Normalisation: batch, layer, group, instance and RMS norm."""
