"""The report and the command."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from privet.audit import audit
from privet.audit.page import report
from privet.cli.app import app
from privet.mechanisms import GeometricNoise, Laplace


@pytest.fixture(scope="module")
def audits():
    return {
        "right": audit(GeometricNoise(Fraction(1)), runs=2000, confidence=1 - 1e-8),
        "wrong": audit(Laplace(Fraction(4)), epsilon=1.0, runs=8000),
    }


def test_the_page_shows_every_verdict(audits):
    text = report(audits).html()
    assert "VIOLATES ITS CLAIM" in text
    assert "1 of 2 violate their claim: wrong." in text
    assert text.count("<svg") == 2
    for found in audits.values():
        assert f"{found.bound:.4g}" in text


def test_a_page_without_violations_says_so(audits):
    assert "No violation found in 1 audit." in report({"right": audits["right"]}).html()


def run(*words):
    return CliRunner().invoke(app, list(words))


def test_the_command_audits_one_algorithm(tmp_path):
    place = tmp_path / "report"
    words = ["naive-bayes", "--runs", "80", "--search-runs", "8", "--jobs", "1", "--json"]
    words += ["--folder", str(tmp_path / "kept"), "-o", str(place)]
    found = run("audit", *words)
    assert found.exit_code == 0, found.output
    assert (place / "audit.html").exists()
    assert json.loads(found.stdout)["naive-bayes"]["epsilon"] == 1.0
    assert list((tmp_path / "kept").glob("*.npz"))


def test_the_command_needs_a_name_or_all():
    assert run("audit").exit_code == 2
    assert run("audit", "naive-bayes", "--all").exit_code == 2
    assert run("audit", "no-such-thing").exit_code == 2
