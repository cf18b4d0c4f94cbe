"""Thesauri: human genes of the program, gene_info and name files; they add names to the concepts of the graph."""

import itertools
from contextlib import closing

import pytest

import cypher
import ingest
from groundwork.errors import TooManyRejects
from groundwork.records import Concept
from groundwork.settings import Settings
from ingest.thesauri import HUMAN_GENES

BRCA1, TP53, TRP53, RAT, DRUG = "Gene|672", "Gene|7157", "Gene|22059", "Gene|24842", "Chemical|MESH:D000082"
RELATIONS = "\n".join(f"{pmid}\tassociate\t{DRUG}\t{gene}" for pmid, gene in enumerate((BRCA1, TP53, TRP53, RAT), 1))
CONCEPTS = "\n".join(
    f"{pmid}\t{key.replace('|', chr(9))}\t{mentions}\tx"
    for pmid, (key, mentions) in enumerate(
        ((TP53, "p53|p53|TP53"), (TRP53, "p53|Trp53"), (RAT, "TP53"), (DRUG, "acetaminophen")), 1
    )
)
HEADER = "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms"


def gene(taxon, ident, symbol, synonyms="-", description="-", columns=16):
    row = [str(taxon), str(ident), symbol, "-", synonyms, "-", "-", "-", description]
    return "\t".join([*row, *["-"] * (columns - len(row))])


MICE = "\n".join(
    (
        HEADER,
        gene(10090, 22059, "Trp53", "bbl|bfy|p53", "transformation related protein 53", columns=15),
        gene(10090, 11287, "Pzp", "A1m|A2m", "PZP, alpha-2-macroglobulin like"),
    )
)
RATS = gene(10116, 24842, "Tp53", "Trp53|p53", "tumor protein p53")
NAMES = f"{DRUG}\tTylenol\n{DRUG}\t Panadol  Extra \nChemical|MESH:D000000\tNobody's drug\n"


@pytest.fixture(params=["memory:", "embedded:"])
def graph(request, tmp_path):
    """A graph store; its HOME is the folder of the test."""
    address = request.param if request.param == "memory:" else f"embedded:{tmp_path / 'graph'}"
    with closing(cypher.connect(address, Settings(home=tmp_path / "home", threads=1), read_only=False)) as opened:
        yield opened


@pytest.fixture
def load(graph, tmp_path):
    """Load a text as a file of a kind, and return the receipt."""
    numbers = itertools.count()

    def call(kind, text, **options):
        file = tmp_path / f"{next(numbers)}.tsv"
        file.write_text(text, "utf-8")
        if kind in ("genes", "names"):
            return ingest.load_thesaurus([file], graph, graph.settings, kind=kind, **options)
        return getattr(ingest, f"load_{kind}")([file], graph, graph.settings, **options)

    return call


def test_human_genes_have_their_symbols_from_the_program(graph, load):
    load("relations", RELATIONS)
    load("concepts", CONCEPTS)
    found = graph.concepts([BRCA1, TP53, RAT])
    assert found[BRCA1] == Concept(BRCA1, "BRCA1", ("BRCA1",), (0,), "9606", "breast cancer 1, early onset")
    assert found[TP53] == Concept(TP53, "TP53", ("TP53", "p53"), (1, 2), "9606", "tumor protein p53")
    assert found[RAT] == Concept(RAT, "TP53", ("TP53",), (1,))
    assert HUMAN_GENES.stat().st_size < 1_000_000


@pytest.mark.parametrize(
    "order", [("relations", "concepts", "genes", "names"), ("names", "genes", "concepts", "relations")]
)
def test_names_are_added_to_the_concepts_of_the_graph_in_any_order_of_loading(graph, load, order):
    texts = {"relations": RELATIONS, "concepts": CONCEPTS, "genes": MICE, "names": NAMES}
    receipts = {kind: load(kind, texts[kind]) for kind in order}
    found = graph.concepts([TRP53, DRUG, "Gene|11287", "Chemical|MESH:D000000"])
    description = "transformation related protein 53"
    names, counts = ("Trp53", "p53", "bbl", "bfy"), (1, 1, 0, 0)
    assert found == {
        TRP53: Concept(TRP53, "Trp53", names, counts, "10090", description),
        DRUG: Concept(DRUG, "acetaminophen", ("acetaminophen", "Panadol Extra", "Tylenol"), (1, 0, 0)),
    }
    assert graph.find("tylenol").concepts[0].key == DRUG
    assert (receipts["genes"].rows.read, receipts["genes"].rows.kept, receipts["names"].rows.kept) == (2, 2, 3)
    for kind, text in texts.items():
        again = load(kind, text).concepts
        assert (again.added, again.changed, again.removed) == (0, 0, 0), kind


def test_a_release_of_genes_replaces_the_genes_of_its_organisms_only(graph, load):
    load("relations", RELATIONS)
    load("genes", f"{MICE}\n{RATS}")
    load("genes", gene(10090, 22059, "P53mouse"))
    found = graph.concepts([TRP53, RAT])
    assert (found[TRP53].name, found[TRP53].synonyms, found[TRP53].description) == ("P53mouse", ("P53mouse",), "")
    assert (found[RAT].name, found[RAT].organism) == ("Tp53", "10116")


def test_a_loaded_human_gene_takes_the_place_of_the_programs(graph, load):
    load("relations", RELATIONS)
    load("genes", gene(9606, 672, "BRCA1", "IRIS|PSCP", "BRCA1 DNA repair associated"))
    assert graph.concepts([BRCA1])[BRCA1] == Concept(
        BRCA1, "BRCA1", ("BRCA1", "IRIS", "PSCP"), (0, 0, 0), "9606", "BRCA1 DNA repair associated"
    )


MESH = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://nlm.example/desc.dtd">
<{record}Set><{record}><{start}UI>D000082</{start}UI><{start}Name><String>Acetaminophen</String></{start}Name>
<ConceptList><Concept><TermList><Term><String>Tylenol</String></Term><Term><String>APAP</String></Term></TermList></Concept>
<Concept><TermList><Term><String> p-Acetamidophenol
</String></Term></TermList></Concept></ConceptList></{record}>
<{record}><{start}UI>none</{start}UI></{record}></{record}Set>"""


@pytest.mark.parametrize(
    ("record", "start"), [("DescriptorRecord", "Descriptor"), ("SupplementalRecord", "SupplementalRecord")]
)
def test_names_are_read_from_the_xml_of_mesh(graph, load, record, start):
    load("relations", RELATIONS)
    receipt = load("names", MESH.format(record=record, start=start))
    assert (receipt.rows.kept, receipt.rejected_by_reason) == (1, {"empty_id": 1})
    names = ("APAP", "Acetaminophen", "Tylenol", "p-Acetamidophenol")
    assert graph.concepts([DRUG])[DRUG].synonyms == names


@pytest.mark.parametrize("ident", ["MESH:D000082", "D000082", " D000082 "])
def test_an_id_of_mesh_may_stand_without_its_type(graph, load, ident):
    load("relations", RELATIONS)
    load("names", f"{ident}\tTylenol\n7157\tTylenol\n")
    assert graph.concepts([DRUG])[DRUG].synonyms == ("Tylenol",)


def test_an_id_tells_the_organism_of_its_gene(graph, load):
    """Files of one source may name the organism behind the id, as PubTator's older files do."""
    load("relations", "1\tassociate\tGene|41614(Tax:7227)\tGene|672 (Tax:10090)\n")
    load("concepts", "1\tGene\t31251(Tax:7227);7157\tboss\tx\n")
    found = graph.concepts(["Gene|41614", "Gene|31251", BRCA1, TP53])
    assert {key: gene.organism for key, gene in found.items()} == {
        "Gene|41614": "7227", "Gene|31251": "7227", BRCA1: "9606", TP53: "9606",
    }  # fmt: skip
    load("genes", gene(7227, 41614, "boss", "-", "bride of sevenless"))
    assert graph.concepts(["Gene|41614"])["Gene|41614"].description == "bride of sevenless"


@pytest.mark.parametrize(
    ("kind", "line", "reason"),
    [
        ("genes", "10090\t22059\tTrp53", "wrong_column_count"),
        ("genes", gene("-", 22059, "Trp53"), "malformed_record"),
        ("genes", gene(10090, "x1", "Trp53"), "malformed_record"),
        ("names", DRUG, "wrong_column_count"),
        ("names", f"{DRUG}\t ", "empty_name"),
        ("names", "Drug|1\tTylenol", "unknown_type"),
        ("names", "Chemical|-\tTylenol", "empty_id"),
    ],
)
def test_a_line_that_names_nothing_is_rejected(graph, load, kind, line, reason):
    with pytest.raises(TooManyRejects):
        load(kind, line)
    good = {"genes": RATS, "names": NAMES}[kind]
    receipt = load(kind, f"{line}\n{good}")
    assert receipt.rejected_by_reason == {reason: 1}
