"""The oracle-cassette policy over a pull request on GitHub, judged by the base's rules."""

from pathlib import Path
from typing import Final

from bot.commands.pull_request_facts import pull_request_facts
from bot.commands.set_status import in_repository
from bot.errors import BadInput
from bot.evaluation.gold_set import MANIFEST
from bot.evaluation.manifest import parse_manifest
from bot.github.interface import GitHub, GitHubRefused
from bot.policy.changed_files import ChangedFiles
from bot.policy.oracle import PolicyFacts, PolicyResult, judge_oracle_policy
from bot.policy.workflows import drift_uses
from bot.settings import Settings, find_settings
from bot.suites import Suite

MAX_WORKFLOWS: Final = 50
OK: Final = 200
"""GitHub answered, but with what is no file."""


def settings_at(github: GitHub, ref: str, config: str) -> Settings:
    """The settings as they are in a commit; raises BadInput as `find_settings`."""
    return find_settings(lambda path: github.read_file(path.as_posix(), ref), config)


def judge_pull_policy(
    github: GitHub,
    number: int,
    head_sha: str,
    suite: Suite,
    settings: Settings,
    gold_set: Path | None = None,
) -> PolicyResult:
    """`settings` are the base's, and `gold_set` a flag's, which wins over them.

    Of the head only its manifest and its changed workflows are read.

    Body and changed files are GitHub's of this moment, not the event's: a body that was edited
    counts when the job is run again.
    """
    place = settings.of(suite)
    changed, body = pull_request_facts(github, number)
    manifest = in_repository((gold_set or place.gold_set) / MANIFEST, Path.cwd())
    return judge_oracle_policy(
        PolicyFacts(
            cassette_kind=_cassette_kind(github, manifest, head_sha),
            changed=changed,
            body=body,
            contract_paths=place.contract_paths,
            drift_uses=drift_uses(_changed_workflows(github, changed, head_sha, settings)),
            gold_set=manifest.rpartition("/")[0],
        )
    )


def _read(github: GitHub, path: str, sha: str) -> bytes | None:
    """A file of the head; None also for a folder, a link or a submodule in its place: a pull
    request must not keep its verdict away with one."""
    try:
        return github.read_file(path, sha)
    except GitHubRefused as error:
        if error.status == OK:
            return None
        raise


def _cassette_kind(github: GitHub, path: str, sha: str) -> str | None:
    """The head manifest's; None (which counts as oracle-aligned) when it cannot be read."""
    data = _read(github, path, sha)
    try:
        return None if data is None else parse_manifest(data, path).cassette_kind
    except BadInput:
        return None


def _changed_workflows(
    github: GitHub, changed: ChangedFiles, sha: str, settings: Settings
) -> dict[str, str]:
    folder = f"{settings.workflows.as_posix().rstrip('/')}/"
    names = sorted(name for name in changed.paths if name.startswith(folder))[:MAX_WORKFLOWS]
    found = {name: _read(github, name, sha) for name in names}
    return {name: data.decode("utf-8", "replace") for name, data in found.items() if data}
