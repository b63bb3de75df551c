"""What notebooks show of tensors, modules and data."""
