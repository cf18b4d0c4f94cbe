"""Tell notices from articles. A notice corrects, retracts or comments on another article and is no evidence itself."""

import re

from groundwork.records import Text

#: Words that begin or end a title only if the document is a notice.
_ALWAYS = r"errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a)|expressions?\ of\ concern"
#: Words that are also ordinary words of titles ("Correction of anemia", "Retraction pockets", "Response to imatinib").
_ALSO_ORDINARY = r"(?:partial\ )?(?:retractions?|corrections?|comments?|commentar(?:y|ies)|reply|response)"
#: Who writes a notice, before the word for it.
_WRITER = r"(?:the\ )?(?:author|editor|publisher)s?(?:['’]s?)?"

_NOTICE = re.compile(
    rf"""
    ^[\[("'“‘]*
    (?:
        (?:(?:published|editorial|{_WRITER})\ )?(?:{_ALWAYS})\b
      | {_WRITER}\ (?:{_ALSO_ORDINARY})\b
      | (?:editorial|invited)\ comment(?:s|ar(?:y|ies))?\b
      | (?:retraction|correction|removal|withdrawal)\ (?:notice|note|statement)\b
      | (?:notice|note|statement)\ of\ (?:partial\ )?(?:retraction|correction|concern|removal|withdrawal)\b
      | comment(?:s|ar(?:y|ies))?\ (?:on|to|regarding)\b
      | (?:reply|in\ reply)\ (?:to|from|by)\b
      | re:
        # An ordinary word is a notice if nothing follows it but the title of the other article, or its authors.
      | (?:{_ALSO_ORDINARY}|in\ (?:reply|response))(?:\ (?:to|for|of|on))?(?:\ ?[:.;—\]]|\ [-–]\ |$)
      | {_ALSO_ORDINARY}\ (?:to|for|of|in)\ (?:the\ )?(?:article|paper|letter|editor|comment|correspondence)\b
      | (?:retraction|correction|response)\ (?:to|for|of)\ [^:]*\bet\ al\b
      | (?:corrections?|response)\ (?:to|for)\ ["'“‘]
      | retraction\ (?:to|for|of)\ ["'“‘]
      | corrections?\ to\ (?-i:[A-Z])
    )
    | [:.;?!\]]\ \W*(?:{_WRITER}\ )?(?:{_ALWAYS}|correction|retraction(?:\ notice)?|reply)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_notice(text: Text) -> bool:
    """Return whether a document is a notice: a retraction, erratum, correction, comment or expression of concern.

    The publication types decide if they tell (`Text.notice`), otherwise the title. A retracted article is no notice.
    """
    return titled_as_notice(text.title) if text.notice is None else text.notice


def titled_as_notice(title: str) -> bool:
    """Return whether a title is that of a notice, such as "Erratum: ..." or "Comment on ..."."""
    return _NOTICE.search(" ".join(title.split())) is not None
