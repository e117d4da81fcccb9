"""Learning: private models, one algorithm a file."""
