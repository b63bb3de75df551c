"""What PyTorch's compilers and exporters offer: here programs run as they are written, and ops may be added by name."""
