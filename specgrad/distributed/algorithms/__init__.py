"""Ways of training with process groups, of which there are none yet."""
