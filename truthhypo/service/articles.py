"""Articles as all interfaces show them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from groundwork.records import Abstract
from groundwork.records.shortened import listed

if TYPE_CHECKING:
    from pandas import DataFrame


def article_fields(article: Abstract) -> dict[str, Any]:
    """Return the fields of `ArticleAnswer` that depend only on the article, by name."""
    text = article.text
    return {
        "pmid": article.pmid,
        "title": text.title,
        "abstract": text.abstract,
        "year": text.year,
        "journal": text.journal,
        "retracted": text.retracted,
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
        shapes = map(article_fields, self.values())
        return {"articles": [{**shape, "concepts": list(shape["concepts"])} for shape in shapes]}

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row per article; `concepts` has keys of concepts, `names` their names."""
        from pandas import DataFrame

        columns = ("pmid", "title", "abstract", "year", "journal", "retracted", "concepts")
        table = DataFrame(self.to_dict()["articles"], columns=list(columns)).astype({"year": "Int64"})  # may be missing
        table["names"] = [[self.names.get(key, key) for key in keys] for keys in table["concepts"]]
        return table

    def __repr__(self) -> str:
        lines = (f"PMID {pmid}  {article.text.title}" for pmid, article in self.items())
        return listed(f"Articles: {len(self):,}", lines)
