"""Renders a section of the comment from templates, within GitHub's bound.

The environment is sandboxed, strict about undefined names, and escapes every expression by default
(`bot.escape`); a user's folder may replace single templates.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.comment.sections import MARKER_START, Section
from bot.comment.view import CommentInput, build_context, section_status
from bot.errors import BadInput
from bot.escape import escape_code, escape_value

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

SECTION_TEMPLATE: Final = "comment.md.j2"
_DETAILS: Final = ((40, 240), (20, 200), (10, 160), (5, 120), (2, 100), (0, 0))
"""Rows a case group and characters a text, tried in turn until the section fits."""

_PACKAGE: Final = Path(__file__).parent.parent


def built_in_templates() -> Path:
    """Inside an installed wheel the templates lie in the package, in a checkout beside it."""
    packaged = _PACKAGE / "_templates"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "templates"


def template_environment(own_templates: Path | None = None) -> "SandboxedEnvironment":
    """Raises BadInput when `own_templates` is no folder."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    folders = [built_in_templates()]
    if own_templates is not None:
        if not own_templates.is_dir():
            raise BadInput("no such folder of templates", where=own_templates)
        folders.insert(0, own_templates)
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        finalize=escape_value,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = lambda value: escape_code(str(value))
    return environment


def _attempts(
    environment: "SandboxedEnvironment", data: CommentInput, template_name: str
) -> Iterator[str]:
    try:
        template = environment.get_template(template_name)
        for max_rows, max_chars in _DETAILS:
            yield template.render(build_context(data, max_rows, max_chars)).strip()
    except Exception as error:  # a template may fail in any way: it is a program of the user's
        name = getattr(error, "name", None) or template_name
        raise BadInput(
            f"template cannot be rendered: {type(error).__name__}: {error}", where=name
        ) from error


def render_section(
    environment: "SandboxedEnvironment",
    name: str,
    data: CommentInput,
    max_chars: int,
    template_name: str = SECTION_TEMPLATE,
) -> Section:
    """The section of suite `name`, at most `max_chars` long: case details go first.

    Raises BadInput for a template that fails, forges a marker, or stays too long without details.
    """
    text = ""
    for text in _attempts(environment, data, template_name):
        if MARKER_START in text:
            raise BadInput("a template writes the bot's own marker", where=template_name)
        if github_length(text) <= max_chars:
            break
    else:
        raise BadInput(
            f"the comment has {github_length(text):,} characters without details, at most "
            f"{max_chars:,}",
            where=template_name,
            next_step="shorten the template",
        )
    run = data.run
    return Section(
        name=name,
        sha=data.head_sha or (run.sha if run else ""),
        run_number=run.run_number if run else 0,
        status=section_status(data),
        text=text,
    )


def github_length(text: str) -> int:
    """Length in UTF-16 code units, the largest of the ways in which a bound may be counted."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
