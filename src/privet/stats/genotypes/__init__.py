"""Questions about packed genotypes."""
