"""A study of genotypes in the browser: from its files, or from the example, to its plots."""

from __future__ import annotations

import numpy as np

from tests.web.project import go_for_real, set_epsilon


def test_from_the_example_study_to_the_plots(visitor):
    page = visitor.page
    visitor.at("")
    page.get_by_role("button", name="Open: The genome study").click()
    page.get_by_text("20,000", exact=True).wait_for()
    page.locator("summary", has_text="Which variants were measured").click()
    page.get_by_text("1 to 25 of 20,000").wait_for()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("26 to 50 of 20,000").wait_for()
    visitor.look("genome-public-draft")
    assert page.get_by_role("button", name="Register this").is_disabled()
    page.get_by_role("button", name="Yes, who took part").click()
    page.get_by_role("textbox", name="Another privacy budget").fill("5")
    page.get_by_role("button", name="Register this").click()
    page.get_by_role("heading", name="Genome", exact=True).wait_for()
    page.get_by_text("of what is attainable").wait_for()
    visitor.look("genome")

    page.get_by_role("button", name="Run on made-up people").click()
    page.get_by_text("This is practice").wait_for()
    visitor.look("genome-practice")
    page.get_by_role("button", name="Do this for real").click()
    page.get_by_role("heading", name="Genome", exact=True).wait_for()
    set_epsilon(page, "3")
    page.get_by_role("button", name="Run: spends ε = 3 ").click()
    page.get_by_role("button", name="Yes, spend").click()
    page.get_by_role("heading", name="Where on the genome").wait_for()
    page.get_by_role("heading", name="Compared with chance").wait_for()
    assert "told from noise" in page.get_by_role("heading", level=1).inner_text()
    visitor.look("genome-result")

    # Another question has another form.
    page.get_by_role("link", name="Genome", exact=True).click()
    page.get_by_label("Count the significant variants privately").check()
    page.get_by_label("Most", exact=True).wait_for()
    page.get_by_role("heading", name="What it costs").wait_for()
    visitor.look("genome-count")


def test_a_genome_of_262_622_variants_is_opened_from_its_three_files(visitor, tmp_path):
    page, variants = visitor.page, 262_622
    bed = b"\x6c\x1b\x01" + np.random.default_rng(3).integers(0, 256, variants * 10, np.uint8).tobytes()
    bim = "".join(f"{1 + i // 12_000}\trs{i}\t0\t{i * 10_000}\tA\tC\n" for i in range(variants))
    fam = "".join(f"p{i} p{i} 0 0 0 {1 + i % 2}\n" for i in range(40))
    files = {"big.bed": bed, "big.bim": bim.encode(), "big.fam": fam.encode()}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    visitor.at("")
    page.locator("input[type=file]").set_input_files([tmp_path / name for name in files])
    page.locator("summary", has_text="Which variants were measured").click()
    page.get_by_text("1 to 25 of 262,622").wait_for()
    page.get_by_role("searchbox").fill("rs26262")
    page.get_by_text("1 to 3 of 3").wait_for()
    visitor.look("genome-public-large")
    page.get_by_role("button", name="Yes, who took part").click()
    page.get_by_role("button", name="Register this").click()
    page.get_by_text("of what is attainable").wait_for()
    go_for_real(page)
    set_epsilon(page, "1")
    page.get_by_role("button", name="Run: spends ε = 1 ").wait_for()


def test_half_a_study_says_what_is_missing(visitor):
    visitor.expected = ("status of 4",)
    page = visitor.page
    visitor.at("")
    page.locator("input[type=file]").set_input_files(
        [{"name": "half.bed", "mimeType": "application/octet-stream", "buffer": b"\x6c\x1b\x01"}]
    )
    page.get_by_role("alert").wait_for()
    assert "Missing: .bim, .fam" in page.get_by_role("alert").inner_text()
    assert "Nothing was spent" in page.get_by_role("alert").inner_text()
    visitor.look("genome-half")
