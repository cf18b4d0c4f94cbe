"""The fields of an article, as all interfaces show them."""

from typing import Any

from groundwork.records import Abstract


def article_fields(article: Abstract) -> dict[str, Any]:
    """Return the fields of an article, by name: those of `ArticleAnswer` that do not depend on the stores' state."""
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
