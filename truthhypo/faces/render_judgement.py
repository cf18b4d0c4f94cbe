"""Print judgements as text for people: verdicts with evidence, risks with paths, hypotheses with reasons, and runs."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from groundwork.records import walk
from groundwork.records.base import counted, cut, number
from groundwork.study import kind_of_study
from truthhypo.faces.judging_outcome import Tally
from truthhypo.faces.layout import field
from truthhypo.hypotheses.hypothesis import outcome

if TYPE_CHECKING:
    from fuzzygraph.belief import BeliefReport
    from fuzzygraph.check import RiskReport
    from knowhd.ground_report import GroundReport
    from truthhypo.hypotheses.hypothesis import Candidate, Hypothesis


COLOURS = {"supported": "green", "contradicted": "red", "not_enough": "yellow", "failed": "magenta"}
#: Colours of the verdicts of `cite`.
CITED = {"supported": "green", "contradicted": "red", "not_stated": "yellow", "retracted": "red"}

#: Nouns for the pieces of evidence of each kind.
KINDS = {"graph": "edges", "literature": "sentences", "chains": "chains"}

#: Maximum number of pieces of evidence of each kind that are shown for one claim. An edge shows at most as many PMIDs.
SHOWN = 4


def ground(console: Console, report: "GroundReport", names: Mapping[str, str]) -> None:
    """Print each claim with its three verdicts, the reason and the cited evidence."""
    shape = report.to_dict()
    for claim in shape["claims"]:
        verdicts = {each: f"[{COLOURS[said]}]{said}[/{COLOURS[said]}]" for each, said in claim["verdicts"].items()}
        field(console, "claim    ", escape(claim["text"]))
        console.print(f"verdict  {verdicts['both']}   graph {verdicts['graph']}, literature {verdicts['literature']}")
        field(console, "why      ", escape(claim["reason"]))
        _evidence(console, claim, names)
        left = ", ".join(f"{count} {KINDS[kind]}" for kind, count in claim["left_out"].items() if count)
        if left:
            console.print(f"  [dim]found but not shown to the judge: {left}[/dim]")
        if claim["flags"]:
            field(console, "flags    ", ", ".join(map(str, claim["flags"])))
    if not shape["claims"]:
        console.print("claims   none: the text is a question, or no statement was found in it")
    for sentence in shape["sentences_missed"]:
        field(console, "missed   ", f"{escape(sentence)}   [dim]no claim was found in it[/dim]")
    scores = ", ".join(f"{source} {_number(value)}" for source, value in shape["groundedness"].items())
    field(console, "groundedness  ", f"{scores}   [dim]judged by {escape(shape['model'])}[/dim]")
    field(
        console,
        "[dim]based on      [/dim]",
        f"[dim]{', '.join(_claim_counts(shape, each) for each in shape['groundedness'])}[/dim]",
    )
    field(console, "[dim]the judge     [/dim]", f"[dim]{trust(shape)}[/dim]")


def _claim_counts(shape: dict[str, Any], source: str) -> str:
    """Return the number of claims behind a groundedness, for example `both 3 of 4 claims (95 % 0.21-0.94)`."""
    judged, interval = shape["claims_judged"][source], shape["intervals"][source]
    spread = f" (95 % {interval[0]:.2f}-{interval[1]:.2f})" if interval else ""
    return f"{source} {judged} of {judged + shape['claims_failed'][source]} claims{spread}"


def trust(shape: Mapping[str, Any]) -> str:
    """Return a line about the judge: its figures on labelled pairs, and its calls and tokens per claim.

    Args:
        shape: A report or a summary with `calibration`, and `usage` of the language model.
    """
    measured = shape["calibration"]
    told = "was not measured on labelled pairs"
    if measured:
        told = _measured(measured)
    usage = shape["usage"]
    if usage.get("tokens_per_claim"):
        told += (
            f"; {usage['judge_calls_per_claim']:.2f} judge calls and {usage['tokens_per_claim']:,.0f} tokens per claim"
        )
    return told


def _measured(figures: Mapping[str, Any]) -> str:
    """Return a judge's figures as one line."""
    constant = f", almost always {figures['constant']}" if figures["constant"] else ""
    return (
        f"on labelled pairs: balanced accuracy {figures['balanced_accuracy']:.3f}, "
        f"kappa {figures['kappa']:.3f} ({escape(figures['dataset'])}, n {figures['n']:,}){constant}"
    )


def _evidence(console: Console, claim: dict[str, Any], names: Mapping[str, str]) -> None:
    """Print the evidence that the verdict cites. If the verdict cites none, print the closest sentences and say so."""
    cited = set(claim["cited"])
    for edge in [edge for edge in claim["evidence"]["graph"] if edge["id"] in cited][:SHOWN]:
        ends = [escape(names.get(edge[end], edge[end])) for end in ("head", "tail")]
        pmids = ", ".join(map(str, edge["pmids"][:SHOWN]))
        field(console, "  graph  ", f"{ends[0]} -{edge['relation']}- {ends[1]}  [dim]PMID {pmids}[/dim]{_mark(edge)}")
    for chain in [chain for chain in claim["evidence"]["chains"] if chain["id"] in cited][:SHOWN]:
        steps = "".join(f" -{h['relation']}- {escape(names.get(h['tail'], h['tail']))}" for h in chain["hops"])
        field(console, "  chain  ", f"{escape(names.get(chain['head'], chain['head']))}{steps}{_mark(chain)}")
    literature = claim["evidence"]["literature"]
    chosen = [piece for piece in literature if piece["id"] in cited]
    if literature and not cited:
        console.print("  [dim]closest sentences in the literature, none of them cited:[/dim]")
    for piece in (chosen or ([] if cited else literature[:2]))[:SHOWN]:
        mark = " [red]RETRACTED[/red]" if piece["retracted"] else ""
        study = kind_of_study(piece["design"], piece["organism"])
        told = f" [dim]({escape(study)})[/dim]" if study else ""
        field(console, f"  PMID {piece['pmid']}{told}{mark}  ", f"{escape(piece['sentence'])}{_mark(piece)}")


def _mark(piece: Mapping[str, Any]) -> str:
    """Return a person's word on a piece of evidence, beside the stance that the judge gave; empty without one."""
    if not (mark := piece["marked"]):
        return ""
    note = f": {mark['note']}" if mark["note"] else ""
    told = f"marked {mark['said']} by {mark['by'] or 'somebody'}, the judge says {mark['program'] or 'no side'}{note}"
    return f"  [magenta]{escape(told)}[/magenta]"


def risk(console: Console, report: "RiskReport", names: Mapping[str, str]) -> None:
    """Print each sentence with its triple, status, numbers and paths."""
    shape = report.to_dict()
    for sentence in shape["sentences"]:
        field(console, "sentence ", escape(sentence["text"]))
        if triple := sentence["triple"]:
            says = f"{'not ' if triple['negated'] else ''}{triple['predicate']}"
            field(console, "read as  ", escape(f"{triple['subject']} | {says} | {triple['object']}"))
        field(console, "risk     ", _risk_line(sentence))
        for path in sentence["paths"]:
            steps = " - ".join(escape(names.get(key, key)) for key in path["keys"])
            sign = {1: "+", -1: "-"}.get(path["sign"], "?")
            field(console, f"  path {sign} {path['probability']:.4f}  ", steps)
        if sentence["words"]:
            field(console, "words    ", _words_line(sentence["words"]))
        if sentence["flags"]:
            field(console, "flags    ", ", ".join(map(str, sentence["flags"])))
        if sentence["disagreement"]:
            field(console, "note     ", escape(sentence["disagreement"]))
    if len(shape["sentences"]) > 1:
        told = f"{_number(shape['hrs'])}  {_strength(shape)}"
        if shape["hrs"] is None:
            told = f"not measured ({shape['measured']} of {shape['claims']} claims are)"
        console.print(f"HRS of the text  {told}")


def _strength(shape: Mapping[str, Any]) -> str:
    """Return the strength and the flag `thin` if it is set, because HRS does not show how much evidence there is."""
    thin = "  [yellow]thin: there is little evidence for or against it[/yellow]" if "thin" in shape["flags"] else ""
    return f"strength {_number(shape['strength'])}{thin}"


def _words_line(words: dict[str, Any]) -> str:
    expanded = "no WordNet" if words["expanded"] is None else f"{words['expanded']:.3f} with synonyms"
    flags = [flag for flag in words["flags"] if flag not in {"no_wordnet", "opposites"}]
    flags += [f"{a} / {b}" for a, b in words["opposites"]] + (["retracted"] if words["retracted"] else [])
    said = f", {escape(', '.join(flags))}" if flags else ""
    return (
        f"Jaccard {words['raw']:.3f} ({expanded}){said}  [dim]PMID {words['pmid']}: {escape(words['sentence'])}[/dim]"
    )


def _risk_line(sentence: dict[str, Any]) -> str:
    status = sentence["status"]
    if status == "unlinked":
        absent = [sentence["triple"][end] for end in ("subject", "object") if sentence[end]["key"] is None]
        return f"{status} [dim](no risk is measured; not linked to a concept: {escape('; '.join(absent))})[/dim]"
    if status != "measured":
        return f"{status} [dim](no risk is measured)[/dim]"
    if sentence["p_claim"] is None:
        support, against = sentence["support"]["noisy_or"], sentence["contradiction"]["noisy_or"]
        told = f"P_net {_number(sentence['p_net'])}, support {support:.3f}, contradiction {against:.3f}"
    else:
        named = (("claim", "p_claim"), ("opposite", "p_opposite"), ("no relation", "p_none"))
        told = ", ".join(f"P({name}) {_number(sentence[key])}" for name, key in named)
    paths = counted(sentence["paths_total"], "path")
    return f"HRS {_number(sentence['hrs'])}  {_strength(sentence)}  [dim]{told}, {paths}[/dim]"


def hypothesis(console: Console, result: "Hypothesis") -> None:
    """Print the proposed relation, the reason, and the chains and the titles of the articles behind it."""
    context = result.context
    console.print(f"{escape(context.head)} & {escape(context.tail)} ({result.task}, {result.setting})")
    console.print(f"relation  [bold]{outcome(result.relation, result.model)}[/bold]")
    field(console, "why       ", escape(result.rationale))
    if len(result.candidates) > 1:
        console.print(f"chosen by {result.select} from {', '.join(map(_candidate, result.candidates))}")
    if result.calibration:
        console.print(f"[dim]the judge {_measured(result.calibration.to_dict())}[/dim]")
    console.print(f"[dim]answered by {escape(result.model)}[/dim]")
    if context.chains is not None:
        console.print(f"\n{counted(context.chains.total, 'chain')}, {len(context.chains.chains):,} shown")
        for chain in context.chains.chains:
            field(console, f"  {chain.score:.4f}  ", escape(walk(chain.hops, context.chains.names)))
    if context.passages is not None:
        console.print(f"\n{counted(len(context.passages), 'article')}")
        for passage in context.passages:
            mark = " [red]RETRACTED[/red]" if passage.retracted else ""
            field(console, f"  PMID {passage.pmid}{mark}  ", escape(passage.title))


def citing(console: Console, shape: Mapping[str, Any]) -> None:
    """Print the verdict of each cited article on a claim, the reason, and the sentence that decides."""
    field(console, "claim    ", escape(shape["claim"]))
    for cited in shape["citations"]:
        name = "the text" if cited["pmid"] is None else f"PMID {cited['pmid']}"
        colour = CITED.get(cited["verdict"], "magenta")
        told = f"[{colour}]{cited['verdict']}[/{colour}]"
        kind = kind_of_study(cited["design"], cited["organism"])
        title = f"{cited['title']} ({kind})" if kind else cited["title"]
        field(console, f"{told}  ", f"{name}  [dim]{escape(title)}[/dim]")
        field(console, "  why      ", escape(cited["reason"]))
        if cited["sentence"] or cited["marked"]:
            field(console, "  sentence ", f"{escape(cited['sentence'] or '')}{_mark(cited)}".strip())
        if cited["flags"]:
            field(console, "  flags    ", ", ".join(cited["flags"]))
    console.print(f"[dim]judged by {escape(shape['model'])}[/dim]")


def citing_row(console: Console, record: Mapping[str, Any]) -> None:
    """Print the record of a claim with its cited articles, or its error."""
    if record.get("error"):
        field(console, "claim    ", escape(record["text"]))
        field(console, "error    ", escape(record["error"]["seen"]))
    else:
        citing(console, record)
    console.print()


def manuscript(console: Console, shape: Mapping[str, Any], out: Path | None) -> None:
    """Print each citing sentence of a manuscript with its sources, unless a file has them, and the counts."""
    for sentence in shape["sentences"] if out is None else ():
        colour = CITED.get(sentence["verdict"], "magenta")
        field(console, f"[{colour}]{sentence['verdict']}[/{colour}]  ", escape(sentence["text"]))
        for source in sentence["sources"]:
            cited = source["citation"]
            name = f"PMID {cited['pmid']}" if cited["pmid"] else "no article"
            told = f"{cited['verdict']}: {escape(cited['sentence'] or cited['reason'])}"
            field(console, f"  {escape(source['label'])} [dim]{name}[/dim]  ", told)
    for problem in shape["problems"]:
        field(console, "reference  ", escape(problem))
    counts = ", ".join(f"{n} {verdict.replace('_', ' ')}" for verdict, n in shape["verdicts"].items() if n)
    field(console, "sentences  ", f"{len(shape['sentences'])} that cite{': ' * bool(counts)}{counts}")
    if out is not None:
        field(console, "written to  ", escape(str(out)))


def pair(console: Console, record: Mapping[str, Any]) -> None:
    """Print the relation that was proposed for a pair, with the reason, or the error."""
    field(console, "pair      ", escape(record["text"]))
    if "error" in record:
        field(console, "error     ", f"{escape(record['error']['seen'])}\n")
    else:
        field(console, "relation  ", f"[bold]{outcome(record['relation'], record['model'])}[/bold]")
        field(console, "why       ", f"{escape(record['rationale'])}\n")


def _candidate(candidate: "Candidate") -> str:
    """Return the relation of a candidate. If it was judged, add its groundedness and its number of judged claims."""
    grounded = candidate.groundedness
    rest = "" if grounded is None else f" ({grounded:.3f} of {candidate.claims_judged} claims)"
    return f"{candidate.relation or 'failed'}{rest}"


def belief(console: Console, report: "BeliefReport") -> None:
    """Print the belief (the membership, in [0, 1]) of each node before and after propagation."""
    table = Table("node", "before", "after", box=None)
    for name, mu in report.to_dict()["nodes"].items():
        table.add_row(escape(name), f"{mu['before']:.4f}", f"{mu['after']:.6f}")
    console.print(table)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


#: Description of each counter of a run over many texts, in display order.
_COUNTERS = {
    "texts": "texts in the file",
    "empty": "records of the file without a text",
    "written": "judged in this run",
    "kept": "judged in an earlier run",
    "failed": "failed: the same command judges them again",
    "left": "not judged, because the budget was spent",
    "unusable": "without a usable reply of the model to any claim",
    "unread": "without a relation that the rules could read",
}
#: Maximum number of different errors that are shown, and maximum length of one error in characters.
ERRORS, LONGEST = 3, 64


def run_summary(console: Console, shape: Mapping[str, Any], items: str = "texts") -> None:
    """Print the counts of a run over many items. Counts of 0 are left out, except for `texts` and `written`."""
    for name, words in _COUNTERS.items():
        if shape[name] or name in {"texts", "written"}:
            field(console, f"{shape[name]:>9,}  ", words.replace("texts", items))
    used = ", ".join(f"{key} {_count(count)}" for key, count in shape["usage"].items() if count)
    if used:
        field(console, "usage       ", used)


def run_results(console: Console, tally: Tally, grounded: Mapping[str, Any] | None = None) -> None:
    """Print what was found: verdicts, relations or statuses, means, flags and errors.

    Args:
        console: Console to print to.
        tally: The counts.
        grounded: For `ground`, the entries `groundedness`, `model`, `calibration` and `usage` of the summary.
    """
    if grounded:
        _claims(console, tally, grounded["groundedness"]["sources"])
        field(console, "[dim]interval    [/dim]", f"[dim]{grounded['groundedness']['method']}[/dim]")
        field(console, "[dim]judge       [/dim]", f"[dim]{escape(grounded['model'])}: {trust(grounded)}[/dim]")
    elif tally.relations:
        field(console, "relations   ", _counted(tally.relations))
    elif tally.citations:
        field(console, "citations   ", _counted(tally.citations))
    elif tally.statuses:
        _risks(console, tally)
    if tally.flags:
        field(console, "flags       ", _counted(tally.flags))
    for seen, n in tally.errors.most_common(ERRORS):
        field(console, "error       ", f"{n:,} x {escape(cut(seen, LONGEST))}")
    if len(tally.errors) > ERRORS:
        field(console, "            ", f"and {counted(len(tally.errors) - ERRORS, 'other error')}")


def run_places(console: Console, shape: Mapping[str, Any]) -> None:
    """Print the files that hold the results."""
    field(console, "written to  ", escape(shape["out"]))
    if shape["records"] != shape["out"]:
        field(console, "evidence in ", escape(shape["records"]))


def _claims(console: Console, tally: Tally, sources: Mapping[str, Any]) -> None:
    """Print one row per source: counts of verdicts, the mean groundedness of the texts, and its interval."""
    table = Table("claims by", box=None, pad_edge=False)
    for name in (*COLOURS, "mean groundedness"):
        table.add_column(name.replace("_", " "), justify="right")
    for source, told in sources.items():
        macro = told["macro"]
        spread = " ({:.2f}-{:.2f})".format(*macro["interval"]) if macro["interval"] else ""
        counts = (f"{tally.verdicts[source][verdict]:,}" for verdict in COLOURS)
        table.add_row(source, *counts, f"{number(macro['value'])}{spread}")
    console.print(table)


def _risks(console: Console, tally: Tally) -> None:
    field(console, "sentences   ", _counted(tally.statuses) or "none")
    if tally.risks:
        hrs, strength = (number(mean(values)) for values in zip(*tally.risks, strict=True))
        told = f"mean HRS {hrs}, mean strength {strength}  [dim]({len(tally.risks):,} of {tally.texts:,} texts)[/dim]"
        field(console, "risk        ", told)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in counts.most_common())


def _count(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
