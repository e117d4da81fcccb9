"""Scores of candidates for private choices, one kind per file, each with the proof of its spread."""
