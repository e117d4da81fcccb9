"""``privet`` with one more algorithm: a class and a line in the registry, as whoever writes one adds it."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le

from privet import registry
from privet.learning.classify import OneR
from privet.parameters import with_parameters

LINE = "One rule, by an algorithm that was written this morning."


@with_parameters
class MorningRule(OneR):
    """Learns one rule."""

    cups: Annotated[int, Ge(1), Le(9), "How much coffee it had."] = 3


if __name__ == "__main__":
    home = "tests.web.operator:MorningRule"
    registry.ALGORITHMS += (registry.Algorithm("morning-rule", "classify", home, LINE),)
    from privet.cli import main  # reads the registry

    main()
