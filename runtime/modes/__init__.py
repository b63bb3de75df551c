"""Thread-local state that ops read: grad mode, and watchers that see or intercept ops. No module here knows an op."""
