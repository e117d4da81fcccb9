"""``python -m privet.cli`` is ``privet``."""

from privet.cli import main

main()
