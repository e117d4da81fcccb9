"""DPWeka (a thesis): private selection of variants and attributes, logistic regression, model inversion."""
