"""Memory, streams and launches on CUDA devices, by way of a driver: the real one, or one that simulates a device.
Nothing here but `math_modes`, which are settings, is loaded before a program asks for a CUDA device."""
