"""Zorarpacı's thesis: rules by bee colony, 1R and naive Bayes with noise, and feature selection by ABC–DE."""
