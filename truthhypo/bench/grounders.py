"""Open the judges that a suite names. A judge decides how well answers are grounded in the graph and the literature."""

from dataclasses import replace
from time import monotonic

from groundwork.errors import ReplyError
from groundwork.llm.usage import Usage, since
from groundwork.options import options_in
from groundwork.ports import NO_USAGE, Accounting, LanguageModel
from knowhd import judges
from knowhd.check import Checker
from knowhd.ground_report import ClaimReport, GroundReport
from knowhd.judge import Judge
from knowhd.options import GroundOptions
from truthhypo.bench.entries import Grounding, Verdicts
from truthhypo.bench.suite import SELF, Judging
from truthhypo.world import World


class Grounder:
    """One judge of answers, with the stores of one world.

    Args:
        name: Name of the judge in the suite.
        world: World with graph and literature.
        judging: Parameters of the evidence that the judge is given.
        model: The language model, if the judge is a language model; otherwise None.
    """

    def __init__(self, name: str, world: World, judging: Judging, model: LanguageModel | None) -> None:
        self.name = name
        self._world = world
        self._options = options_in(judging, GroundOptions)
        self._model = model
        self._judge = self._judge_named(name, world) if model is None else None

    def ground(self, text: str, before: int) -> tuple[Grounding, Usage]:
        """Judge a text. Only evidence with a PMID up to `before` is used.

        Returns:
            The grounding and the usage of the language model. If the judge's reply was unusable, the grounding has a
            `failure` and no values.

        Raises:
            ModelUnreachable, ModelTooSlow: The judge cannot be reached.
        """
        model = self._model.account() if isinstance(self._model, Accounting) else self._model
        began, spent = monotonic(), model.usage() if model else NO_USAGE
        try:
            grounding = _as_grounding(self._checked(model, text, before))
        except ReplyError as error:
            grounding = Grounding(None, None, None, None, (), error.seen)
        usage = since(model.usage(), spent) if model else NO_USAGE
        return replace(grounding, seconds=round(monotonic() - began, 6)), usage

    def _checked(self, model: LanguageModel | None, text: str, before: int) -> GroundReport:
        settings = self._world.settings
        checker = Checker(
            self._world.graph_store,
            self._world.literature_store,
            model,
            judge=self._judge,
            options=self._options,
            evidence_tokens=settings.evidence_tokens,
            home=settings.home,
        )
        return checker.check(text, replace(self._options, before=before))

    @staticmethod
    def _judge_named(name: str, world: World) -> Judge:
        return judges.connect(name, world.graph_store, world.settings)


def called(name: str, model: str) -> str:
    """Return a judge's name in records. The judge `SELF` gets the name of the model that answered."""
    return model if name == SELF else name


def _as_grounding(report: GroundReport) -> Grounding:
    shares = report.aggregates["both"].soft
    return Grounding(
        report.groundedness["graph"],
        report.groundedness["literature"],
        report.groundedness["both"],
        shares["contradicted"] if shares else None,
        tuple(_verdicts(claim) for claim in report.claims),
    )


def _verdicts(claim: ClaimReport) -> Verdicts:
    verdicts = claim.verdicts
    return Verdicts(claim.text, verdicts["graph"], verdicts["literature"], verdicts["both"], claim.cited, claim.reason)
