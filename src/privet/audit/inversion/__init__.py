"""Model inversion: what a released model gives away about a known person's sensitive attribute."""
