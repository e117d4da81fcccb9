"""Learning: private models, one algorithm per file."""
