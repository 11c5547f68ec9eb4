"""A table for a terminal or a pipe: no colour, no escape code, whatever the cells hold."""

from bot.escape import visible

Table = list[list[str]]
"""Rows of cells; the first row is the head, the first column names the row."""


def plain_table(table: Table) -> str:
    """The first column stands left, the others right."""
    from rich import box
    from rich.console import Console as Terminal
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD)
    head, *rows = table
    for number, name in enumerate(head):
        shown.add_column(
            Text(visible(name)), justify="left" if number == 0 else "right", overflow="fold"
        )
    for row in rows:
        shown.add_row(*(Text(visible(cell)) for cell in row))
    terminal = Terminal(width=40 + 36 * (len(head) - 1), color_system=None, legacy_windows=False)
    with terminal.capture() as captured:
        terminal.print(shown)
    return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip())
