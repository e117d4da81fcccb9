"""Learners for records that keep coming, released again and again at one price."""
