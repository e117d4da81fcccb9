"""Where a ledger's rows are kept: in memory, or in an SQLite file. Rows are appended, never changed."""
