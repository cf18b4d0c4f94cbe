"""A command whose help shows its options in groups."""

from typing import Any

from typer.core import TyperCommand


class GroupedCommand(TyperCommand):
    """A command whose help lists each option with a `rich_help_panel` in a section that has the name of the panel."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the common options, and then the groups in the order of their first options."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Common options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                common = "Arguments" if param.param_type_name == "argument" else "Common options"
                sections.setdefault(getattr(param, "rich_help_panel", None) or common, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
