"""What `specgrad.cuda` offers under PyTorch's names, by subject."""
