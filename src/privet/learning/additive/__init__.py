"""Additive models by boosting over noisy histograms: what classification and regression share."""
