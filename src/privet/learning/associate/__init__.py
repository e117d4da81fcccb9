"""Private mining of associations: sets of values that occur together, and rules."""

from privet.learning.associate.itemsets import FrequentItemsets
from privet.learning.associate.rules import AssociationRules

__all__ = ["AssociationRules", "FrequentItemsets"]
