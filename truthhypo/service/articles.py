"""Articles as all interfaces show them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from groundwork.records import Abstract, plain
from groundwork.records.base import listed
from groundwork.study import study_of
from truthhypo.service.participants import participants

if TYPE_CHECKING:
    from pandas import DataFrame


def article_fields(article: Abstract) -> dict[str, Any]:
    """Return the fields of `ArticleAnswer` that depend only on the article, by name."""
    text, study = article.text, study_of(article)
    return {
        "pmid": article.pmid,
        "title": text.title,
        "abstract": text.abstract,
        "year": text.year,
        "journal": text.journal,
        "retracted": text.retracted,
        "doi": text.doi,
        "design": study.design,
        "organism": study.organism,
        "participants": participants(text.abstract),
        "types": text.types,
        "mesh": text.mesh,
        "languages": text.languages,
        "concepts": article.concepts,
    }


class Articles(dict[int, Abstract]):
    """Articles by PMID.

    Attributes:
        names: Names of the concepts of these articles by key, as far as they are known; used only in tables.

    Example:
        >>> world.literature.get([990000005]).to_frame()["year"].tolist()
        [2024]
    """

    names: Mapping[str, str] = MappingProxyType({})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `truthhypo literature get`."""
        return {"articles": [plain(article_fields(article)) for article in self.values()]}

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row per article; `concepts` has keys of concepts, `names` their names."""
        from pandas import DataFrame

        columns = ["pmid", "title", "abstract", "year", "journal", "retracted", "doi", "design", "organism"]
        columns += ["participants", "types", "mesh", "languages", "concepts"]
        whole = {"year": "Int64", "participants": "Int64"}  # may be missing
        table = DataFrame(self.to_dict()["articles"], columns=columns).astype(whole)
        table["names"] = [[self.names.get(key, key) for key in keys] for keys in table["concepts"]]
        return table

    def __repr__(self) -> str:
        lines = (f"PMID {pmid}  {article.text.title}" for pmid, article in self.items())
        return listed(f"Articles: {len(self):,}", lines)
