"""Measure claims judged per second by the rules: `ground --file` on one core, right after a load and once more.

`python -m benchmarks.performance.grounding [--claims 500] [--abstracts 0] [--names 0]`: real documents
(BioRED, BC5CDR) are loaded into embedded stores, and sentences about pairs that they relate are judged. `--abstracts`
adds PubMed records made of the sentences of these documents, so that they name concepts which must be linked (the words
of `generate articles` do not). `--names` adds generated names of other concepts.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.performance import asking
from benchmarks.performance.measure import ONE_THREAD, program, timed
from groundwork.language import sentences
from tests.conftest import DATA
from truthhypo.bench.reader.examples import read_documents

DOCUMENTS = ("biored/Train.PubTator", "biored/Dev.PubTator", "bc5cdr/CDR_TrainingSet.PubTator.txt")
#: The first PMID of the records. No real PMID is as large.
_NEW = 100_000_000
VERBS = ("causes", "lowers", "raises", "is associated with")


def statements(paths: Sequence[Path], count: int, seed: int) -> list[str]:
    """Return sentences about related pairs with the documents' own names. The verb is drawn and may be wrong."""
    draw = random.Random(seed)
    told = list(dict.fromkeys(_stated(paths, draw)))
    draw.shuffle(told)
    return told[:count]


def _stated(paths: Sequence[Path], draw: random.Random) -> Iterator[str]:
    for document in read_documents(paths):
        names = {each.key: each.mention for each in reversed(document.annotations)}
        for head, _, tail in document.relations:
            if head in names and tail in names:
                yield f"{names[head][:1].upper()}{names[head][1:]} {draw.choice(VERBS)} {names[tail]}."


def recombined(paths: Sequence[Path], out: Path, count: int, seed: int) -> Path:
    """Write PubMed records: real titles and abstracts in which half of the sentences, drawn by chance, are replaced by
    other real sentences."""
    draw = random.Random(seed)
    known = {document.pmid: document for document in read_documents(paths)}.values()
    told = [(each.title, [sentence.text for sentence in sentences(each.abstract)]) for each in known]
    pool = [sentence for _, abstract in told for sentence in abstract]
    with out.open("w", encoding="utf-8") as file:
        for pmid in range(_NEW, _NEW + count):
            title, own = told[pmid % len(told)]
            abstract = " ".join(draw.choice((sentence, draw.choice(pool))) for sentence in own)
            file.write(json.dumps({"id": f"pubmed{pmid}", "PMID": pmid, "title": title, "content": abstract}) + "\n")
    return out


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("grounding", __doc__ or "")
    parser.add_argument("--claims", type=int, default=500)
    parser.add_argument("--abstracts", type=int, default=0, help="PubMed records beside the real documents")
    parser.add_argument("--names", type=int, default=0, help="generated names beside those of the real documents")
    options = asking.asked(parser, arguments)
    paths = [DATA / name for name in DOCUMENTS]
    with TemporaryDirectory() as scratch:
        home, texts = Path(scratch) / "home", Path(scratch) / "texts.txt"
        texts.write_text("\n".join(statements(paths, options.claims, options.seed)), "utf-8")
        timed(program("ingest", "documents", *paths, "--home", home))
        if options.abstracts:
            records = recombined(paths, Path(scratch) / "records.jsonl", options.abstracts, options.seed)
            timed(program("ingest", "pubmed", records, "--home", home))
        if options.names:
            names, _ = asking.names(options.work, options.names, options.names * 3 // 10, options.seed, 0)
            # Some generated mentions have no id, as in the real file; they are rejected.
            timed(program("ingest", "concepts", names, "--home", home, "--max-rejects", options.names))
        rates = {}
        for name in ("first", "second"):
            out = Path(scratch) / f"{name}.jsonl"
            done = timed(program("ground", "--file", texts, "--out", out, "--home", home), ONE_THREAD)
            claims = sum(len(json.loads(line).get("claims", ())) for line in out.read_text("utf-8").splitlines())
            rates[name] = {"claims": claims, "seconds": round(done.wall, 1), "cpu": round(done.cpu, 1)}
            rates[name]["claims_per_second"] = round(claims / done.wall, 1)
    asking.tell(claims=options.claims, abstracts=options.abstracts, names=options.names, **rates)


if __name__ == "__main__":
    main()
