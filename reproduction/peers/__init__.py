"""Other libraries' private algorithms, as they are published, where the audit refutes them."""
