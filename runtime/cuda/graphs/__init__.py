"""Work of devices that is recorded once and done many times: CUDA graphs."""
