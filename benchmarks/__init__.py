"""Benchmarks, one file a family. Figures are ratios within one run, so that they hold on any machine."""
