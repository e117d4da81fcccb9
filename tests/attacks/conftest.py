"""`pytest tests/attacks` runs every attack, also those whose tests stand beside what was attacked."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
ELSEWHERE = (
    "isolation",
    "sources/test_csv_lines.py",
    "sources/test_table_formats.py",
    "sources/test_genotype_texts.py::test_without_a_list_one_person_decides_which_variants_are_candidates",
    "perturbation/test_commands.py::test_a_quote_too_many_does_not_take_its_neighbours_along",
    "client/test_wire.py",
    "cli/test_gwas.py::test_a_plan_with_quality_control_reads_no_genotype",
    "cli/test_output.py::test_a_script_does_not_confirm_what_nobody_looked_at",
    "stats/test_contribution.py",
    "schema/test_draft.py::test_names_and_ids_are_left_out_with_a_word_why",
    "queries/test_meaning.py::test_what_is_not_understood_is_refused_with_the_words_at_fault",
)


def pytest_configure(config: pytest.Config) -> None:
    """Add them where this folder is asked for; a run of all tests has them already."""
    asked = [Path(word) for word in config.args]
    if any(config.invocation_params.dir / path == HERE for path in asked):
        config.args += [word for word in (str(TESTS / each) for each in ELSEWHERE) if word not in config.args]
