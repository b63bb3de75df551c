"""NVIDIA's libraries of products, transforms and solvers: one protocol, which simulated and real devices have."""
