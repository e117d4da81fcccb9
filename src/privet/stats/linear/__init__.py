"""Questions about encoded records: sums of products, gradients, and the logistic loss."""
