"""Extensions of Griffe, which reads the code for the reference of Python."""

import re
from typing import Any

from griffe import Class, Extension, Function, Object

_PLAIN = re.compile(r"\basynchronous\((\w+)\)")


class AsynchronousMethods(Extension):
    """Show a method that is decorated by `asynchronous(method)` with the arguments and the result of that method."""

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Complete the methods of a class."""
        for member in cls.members.values():
            if isinstance(member, Function) and (
                found := _PLAIN.search(" ".join(str(d.value) for d in member.decorators))
            ):
                plain = cls.members[found[1]]
                member.parameters, member.returns = plain.parameters, plain.returns
                member.labels.add("async")


class SingularExamples(Extension):
    """Read the section `Example:` of docstrings, as Napoleon does, like Griffe's `Examples:`.

    Name the sections so that their `>>>` lines are shown as code. As text, brackets in them would become links.
    """

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object before it is parsed."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
