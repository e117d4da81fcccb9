"""What is kept in the server's tables, by subject: plain functions that take a connection."""
