"""Extension of Griffe: reads the section `Example:` of docstrings, as Napoleon does, like Griffe's `Examples:`."""

import re
from typing import Any

from griffe import Extension, Object


class SingularExamples(Extension):
    """Name the sections so that their `>>>` lines are shown as code. As text, brackets in them would become links."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object before it is parsed."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
