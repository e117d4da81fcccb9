"""USERS' OWN FUNCTIONS, each in its cell: a process that sees one block of a table and returns numbers."""
