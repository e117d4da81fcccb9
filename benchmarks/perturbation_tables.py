"""Tables 7.1 and 7.2 of the geometric-perturbation work, and covertype: mined and attacked."""

from __future__ import annotations

from benchmarks import data
from benchmarks.figures import Figure
from privet.experiments.perturbation_tables import markdown, reproduce

COLUMNS = {
    "adult": ("age", "education-num"),
    "bank_marketing": ("age", "duration"),
    "covertype_20k": ("Elevation", "Horizontal_Distance_To_Roadways"),
}


def run() -> list[Figure]:
    if not data.available():
        print("  The tables beside the repository are not here: nothing to reproduce.")
        return []
    found = []
    for name, columns in COLUMNS.items():
        table, schema = data.load(name)
        columns = tuple(c for c in columns if c in table.column_names)
        found += reproduce(name, table, schema, columns, folds=5, records=20_000)
    print(markdown(found))
    published = [each for each in found if each.variant == "as published"]
    geometric = [each for each in found if each.variant == "geometric, all numeric columns"]
    return [
        Figure("the published formula: error of the best attack, at most",
               max(each.attacks.resistance for each in published), 0.01, unit=""),
        Figure("geometric, all columns: error of the best attack, at least",
               min(each.attacks.resistance for each in geometric), unit=""),
    ]  # fmt: skip
