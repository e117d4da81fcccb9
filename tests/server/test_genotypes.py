"""A study of genotypes on a server: handed over in every form, planned from its public lists, paid once."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from privet.service.gwas.made_up import example_study, planted
from privet.sources import PlinkSource, write_plink
from tests.server.house import House

TOP = "gwas top-snps"


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, bytes]:
    """A small study, as PLINK's three files."""
    place = tmp_path_factory.mktemp("study") / "study.bed"
    write_plink(example_study(subjects=400, variants=600), place)
    return {ending: place.with_suffix(ending).read_bytes() for ending in (".bed", ".bim", ".fam")}


def store(home: House, parts: dict[str, bytes], name: str = "genome") -> str:
    made = home.owner.post("/datasets", {"study": home.study, "name": name})["id"]
    for filename, content in parts.items():
        answer = home.owner.ask("PUT", f"/datasets/{made}/rows?filename={filename}", content=content)
        assert answer.status_code == 200, answer.text
    return str(made)


def other(files: dict[str, bytes], number: int) -> dict[str, bytes]:
    """The same study with other genotypes: the ledger would recognise the same."""
    changed = bytearray(files[".bed"])
    changed[3 + number] ^= 0b11
    return files | {".bed": bytes(changed)}


def opened(home: House, files: dict[str, bytes], number: int, epsilon: float = 40.0) -> str:
    made = store(home, {f"s{ending}": content for ending, content in other(files, number).items()})
    home.owner.post(f"/datasets/{made}/draft", {})
    home.owner.post(f"/datasets/{made}/schema/confirm", {"columns": ["phenotype"]})
    home.owner.post(f"/datasets/{made}/open", {"epsilon": epsilon})
    return made


def scan(home: House, who, dataset: str, **more):
    body = {"use_case": TOP, "dataset": dataset, "parameters": {"epsilon": 20.0, "k": 5}}
    return who.post("/plans", body | more)


def test_three_files_become_a_study_that_is_paid_for_once(home: House, files) -> None:
    dataset = opened(home, files, 1)
    shown = home.analyst.get(f"/datasets/{dataset}")
    assert shown["kind"] == "genotypes"
    assert shown["state"] == "open"
    lists = home.analyst.get(f"/datasets/{dataset}/genotypes")
    assert (lists["cases"], lists["controls"], lists["variants"]) == (200, 200, 600)
    page = home.analyst.get(f"/datasets/{dataset}/variants?first=598")
    assert page["number"] == 600
    assert [row[0] for row in page["rows"]] == ["rs599", "rs600"]
    assert home.analyst.get(f"/datasets/{dataset}/variants?find=rs59")["number"] == 11

    plan = scan(home, home.analyst, dataset)
    assert plan["price"]["epsilon"] == 20.0
    assert home.spent(dataset) == 0
    run = home.finish(home.analyst, home.start(home.analyst, plan["id"])["id"])
    assert run["state"] == "released", run
    assert home.spent(dataset) == 20.0
    release = home.analyst.get(f"/releases/{run['release']}")
    assert release["title"].startswith("Top variants")
    assert "told from noise" in release["headline"]
    assert [chart["title"] for chart in release["charts"]] == ["Where on the genome", "Compared with chance"]
    assert all(chart["errors"] for chart in release["charts"])
    names = {row[0] for row in release["tables"][0]["rows"]}
    assert names >= {f"rs{place + 1}" for place in planted(600)}
    script = home.analyst.ask("GET", f"/releases/{run['release']}/export?as=cli").text
    assert "gwas top-snps genome.bed" in script
    assert scan(home, home.analyst, dataset)["already"] == run["release"]


def test_a_plan_and_practice_never_open_the_genotypes(home: House, files, monkeypatch) -> None:
    dataset = opened(home, files, 2)

    def opened_after_all(self):
        raise AssertionError("the genotypes were read")

    monkeypatch.setattr(PlinkSource, "blocks", opened_after_all)
    scan(home, home.analyst, dataset)
    body = {"use_case": TOP, "dataset": dataset, "parameters": {"k": 5}}
    points = home.analyst.post("/forecasts", body)["points"]
    assert points[0]["middle"] < points[-1]["middle"]
    plan = scan(home, home.analyst, dataset, practice=True)
    run = home.finish(home.analyst, home.start(home.analyst, plan["id"])["id"])
    assert run["state"] == "released", run
    assert home.spent(dataset) == 0
    for_real = home.start(home.analyst, scan(home, home.analyst, dataset)["id"])
    assert home.finish(home.analyst, for_real["id"])["state"] == "lost"  # the door that was watched


@pytest.mark.parametrize(
    "words", ["maf", "hwe", "call_rate", "allele_count", "subject_missing", "dataset", "keep"]
)
def test_thresholds_that_are_read_off_the_genotypes_are_no_parameters(home: House, files, words) -> None:
    """Which variants pass would be an exact answer; and nobody may name the account that pays."""
    dataset = store(home, {})
    value = home.dataset if words in ("dataset", "keep") else 0.2
    asked = {"use_case": TOP, "dataset": home.dataset, "parameters": {"epsilon": 1.0, words: value}}
    answer = home.analyst.ask("POST", "/plans", json=asked)
    assert answer.status_code == 422
    assert f"'{words}' is no parameter" in answer.text
    [shown] = [case for case in home.analyst.get("/use-cases") if case["name"] == TOP]
    assert words not in shown["json_schema"]["properties"]
    assert home.analyst.ask("GET", f"/datasets/{dataset}/genotypes").status_code == 404


def test_a_table_is_no_study_and_a_study_no_table(home: House, files) -> None:
    dataset = opened(home, files, 3)
    for asked in (
        {"use_case": TOP, "dataset": home.dataset, "parameters": {"epsilon": 1.0}},
        {"use_case": "describe", "dataset": dataset, "parameters": {"epsilon": 1.0}},
    ):
        answer = home.analyst.ask("POST", "/plans", json=asked)
        assert answer.status_code == 422
        assert "does not fit the data" in answer.text
    changed = home.owner.ask("PUT", f"/datasets/{dataset}/schema", json={"columns": []})
    assert changed.status_code == 409


def test_a_zip_and_a_vcf_with_phenotypes_become_the_same(home: House, files) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for ending, content in other(files, 4).items():
            archive.writestr(f"../../deep/folder/study{ending}", content)
        archive.writestr("__MACOSX/._study.bed", b"\0")
    dataset = store(home, {"study.zip": packed.getvalue()})
    home.owner.post(f"/datasets/{dataset}/draft", {})
    assert home.owner.get(f"/datasets/{dataset}/genotypes")["variants"] == 600
    folder = home.server.folder(dataset)
    assert sorted(path.name for path in folder.iterdir()) == [
        "rows.bed",
        "rows.bim",
        "rows.fam",
        "study.json",
    ]

    head = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n"
    lines = "".join(f"1\t{i}\trs{i}\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\t0/0\t./.\n" for i in range(1, 4))
    phenotypes = b"a case\nb case\nc control\nd control\n"
    vcf = store(home, {"s.vcf": (head + lines).encode(), "people.txt": phenotypes})
    home.owner.post(f"/datasets/{vcf}/draft", {})
    lists = home.owner.get(f"/datasets/{vcf}/genotypes")
    assert (lists["cases"], lists["controls"], lists["variants"]) == (2, 2, 3)
    assert not list(home.server.folder(vcf).glob("*.vcf"))
    assert home.analyst.ask("GET", f"/datasets/{vcf}/genotypes").status_code == 404  # a draft is the owner's


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"s.bed": b"\x6c\x1b\x01", "s.fam": b"a a 0 0 0 1\n"}, "Missing: .bim"),
        ({"s.vcf": b"##fileformat=VCFv4.2\n"}, "who is a case"),
        ({"s.zip": b"PK no"}, "no Excel or zip file"),
        ({"s.bed": b"\0\0\0", "s.fam": b"a a 0 0 0 1\n", "s.bim": b"1 rs1 0 1 A C\n"}, "not a PLINK 1"),
    ],
)
def test_half_a_study_is_refused_in_words(home: House, parts, says) -> None:
    made = home.owner.post("/datasets", {"study": home.study, "name": "half"})["id"]
    answers = [
        home.owner.ask("PUT", f"/datasets/{made}/rows?filename={name}", content=content)
        for name, content in parts.items()
    ]
    answers.append(home.owner.ask("POST", f"/datasets/{made}/draft", json={}))
    refused = next(answer for answer in answers if answer.status_code >= 400)
    assert refused.status_code in (409, 422)
    assert says in json.dumps(refused.json()), refused.text
    assert "Nothing was spent" in refused.text


def test_the_example_study(home: House) -> None:
    made = home.owner.post("/examples/genome", {"study": home.study})
    assert made["kind"] == "genotypes"
    assert made["unconfirmed"] == ["phenotype"]


def test_a_genome_of_262_622_variants(home: House) -> None:
    """Public lists, a plan, a forecast and pages of a large study; its genotypes are few."""
    variants, subjects = 262_622, 40
    draw = np.random.default_rng(0)
    bed = b"\x6c\x1b\x01" + draw.integers(0, 256, variants * 10, np.uint8).tobytes()
    bim = "".join(f"{1 + i // 12_000}\trs{i}\t0\t{i * 10_000}\tA\tC\n" for i in range(variants))
    fam = "".join(f"p{i} p{i} 0 0 0 {1 + i % 2}\n" for i in range(subjects))
    dataset = store(home, {"g.bed": bed, "g.bim": bim.encode(), "g.fam": fam.encode()})
    home.owner.post(f"/datasets/{dataset}/draft", {})
    home.owner.post(f"/datasets/{dataset}/schema/confirm", {"columns": ["phenotype"]})
    home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 10.0})
    assert len(home.owner.get(f"/datasets/{dataset}/variants?first=262600")["rows"]) == 22
    settings = {"epsilon": 1.0, "k": 2500, "mechanism": "laplace", "score": "chi2"}
    body = {"use_case": TOP, "dataset": dataset, "parameters": settings}
    plan = home.owner.post("/plans", body)
    run = home.finish(home.owner, home.start(home.owner, plan["id"])["id"])
    assert run["state"] == "released", run
    release = home.owner.get(f"/releases/{run['release']}")
    assert sum(map(len, release["charts"][0]["points"])) == 2000  # thinned here, not in the browser
    assert len(json.dumps(release)) < 2_000_000
    assert "Of the 2,500 chosen, the 2,000" in release["charts"][0]["note"]


def test_rows_of_a_study_are_deleted_with_all_of_their_files(home: House, files) -> None:
    dataset = opened(home, files, 5)
    assert home.owner.ask("DELETE", f"/datasets/{dataset}/rows").status_code == 200
    assert not list(Path(home.server.folder(dataset)).glob("rows*"))
    assert home.analyst.get(f"/datasets/{dataset}")["kind"] == "genotypes"
    assert home.analyst.ask("GET", f"/datasets/{dataset}/variants").status_code == 409
