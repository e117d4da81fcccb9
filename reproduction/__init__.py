"""What the papers behind Privet have published, measured again: a folder for each paper, outside the wheel.

``python -m reproduction`` lists the pages of docs/experiments, measures what they lack and writes them.
"""
