"""Workflows and pull request templates as texts → findings. Nothing in them is run.

Every workflow of the repository is looked at, since one that switches a check off may be any.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

import yaml

from bot.evaluation.manifest import ALLOW_DRIFT_VARIABLE
from bot.policy.marker import ORACLE_OK_MARKER, has_visible_line
from bot.policy.workflows import drift_uses
from bot.setup.findings import Finding

MAX_SHOWN: Final = 5
_PINNED: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LOCAL: Final = ("./", "docker://")
_TEMPLATE_NAME: Final = re.compile(
    r"(?:\.github/|docs/)?(?:pull_request_template(?:\.[a-z]+)?|pull_request_template/.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExpectedWorkflow:
    """The evaluation's workflow, whose runs may be published; `data` is the published file."""

    path: str
    name: str
    data: str


def is_pull_request_template(path: str) -> bool:
    """Whether GitHub takes the file for a template: root, docs/ or .github/, any letter case."""
    return _TEMPLATE_NAME.fullmatch(path) is not None


def workflow_findings(files: Mapping[str, str], expected: ExpectedWorkflow) -> Iterator[Finding]:
    """`files` are the texts of all workflows by their path in the repository."""
    for use in drift_uses(files):
        yield Finding(
            "error",
            "workflow",
            f"{use} uses {ALLOW_DRIFT_VARIABLE}, which lets stale cassettes pass",
            "take it out: it is for local experiments only",
        )
    parsed: dict[str, dict[Any, Any]] = {}
    for path, text in sorted(files.items()):
        try:
            found = yaml.safe_load(text)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            yield Finding("error", "workflow", f"{path} is no YAML", str(error).partition("\n")[0])
            continue
        if isinstance(found, dict):
            parsed[path] = found
            yield from _safety(path, found)
    yield from _evaluation(parsed, expected)


def _triggers(workflow: Mapping[Any, Any]) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true
    found = workflow.get("on", workflow.get(True))
    if isinstance(found, dict):
        return {str(name): value for name, value in found.items()}
    return {str(name): None for name in (found if isinstance(found, list) else [found])}


def _jobs(workflow: Mapping[Any, Any]) -> dict[str, dict[Any, Any]]:
    jobs = workflow.get("jobs")
    found = jobs.items() if isinstance(jobs, dict) else ()
    return {str(name): job for name, job in found if isinstance(job, dict)}


def _steps(workflow: Mapping[Any, Any]) -> Iterator[dict[Any, Any]]:
    for job in _jobs(workflow).values():
        steps = job.get("steps")
        yield from (step for step in steps or () if isinstance(step, dict))


def _safety(path: str, workflow: Mapping[Any, Any]) -> Iterator[Finding]:
    if "pull_request_target" in _triggers(workflow):
        yield Finding(
            "warning",
            "workflow",
            f"{path} runs on pull_request_target, with this repository's secrets and rights",
            "never check out the pull request in it; for comments use comment-from-run",
        )
    jobs = _jobs(workflow)
    open_jobs = [name for name, job in jobs.items() if "permissions" not in job]
    if "permissions" not in workflow and open_jobs:
        yield Finding(
            "warning",
            "workflow",
            f"{path}: no permissions are set for {_some(open_jobs)}, so the token has the "
            "repository's default",
            "set `permissions: {}` on top, and what each job needs",
        )
    used = [str(step["uses"]) for step in _steps(workflow) if "uses" in step]
    loose = sorted({one for one in used if not _is_pinned(one)})
    if loose:
        yield Finding(
            "warning",
            "workflow",
            f"{path}: {_some(loose)} can change under you",
            "pin it to a full commit SHA",
        )


def _is_pinned(uses: str) -> bool:
    if uses.startswith(_LOCAL):
        return True
    return _PINNED.fullmatch(uses.rpartition("@")[2]) is not None


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
    return ", ".join(names[:MAX_SHOWN]) + more


def _evaluation(
    workflows: Mapping[str, dict[Any, Any]], expected: ExpectedWorkflow
) -> Iterator[Finding]:
    """Whether the runs of the evaluation can be commented on and published."""
    about, workflow = "evaluation workflow", workflows.get(expected.path)
    if workflow is None:
        yield Finding(
            "error",
            about,
            f"there is no {expected.path}, so no run can be commented on or published",
            "write it with `extraction-bot init`, or set workflow_path",
        )
        return
    name = workflow.get("name")
    if name == expected.name:
        yield Finding("ok", about, f"{expected.path}, named {name}")
    else:
        yield Finding(
            "error",
            about,
            f"{expected.path} is named {name!r}, not {expected.name!r}: its runs are refused",
            "set workflow_name, or rename it",
        )
    triggers = _triggers(workflow)
    push = triggers.get("push")
    ignored = push.get("paths-ignore") if isinstance(push, dict) else None
    patterns = [str(one) for one in ignored or ()]
    if "push" in triggers and not any(fnmatchcase(expected.data, one) for one in patterns):
        yield Finding(
            "warning",
            about,
            f"{expected.path} also runs when {expected.data} is merged, which is published again",
            f'add paths-ignore: ["{expected.data.rpartition("/")[0] or "."}/**"] under on.push',
        )
    if not any("workflow_run" in _triggers(one) for one in workflows.values()):
        yield Finding(
            "warning",
            about,
            "no workflow runs on workflow_run, so a fork's pull request gets no comment",
            "write extraction-pr-comment.yml with `extraction-bot init`",
        )


def template_findings(files: Mapping[str, str]) -> Iterator[Finding]:
    """`files` are the texts of the pull request templates by path."""
    about = "pull request template"
    for path, text in sorted(files.items()):
        if has_visible_line(text):
            yield Finding(
                "error",
                about,
                f"{path} carries {ORACLE_OK_MARKER}: every pull request would be excused",
                "name the marker within a sentence or a comment, in two pieces",
            )
        elif ORACLE_OK_MARKER in text:
            yield Finding(
                "warning",
                about,
                f"{path} holds the text {ORACLE_OK_MARKER}: a naive search would excuse every "
                "pull request",
                "name the marker in two pieces",
            )
        else:
            yield Finding("ok", about, f"{path} excuses nothing")
