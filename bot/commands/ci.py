"""`ci`: what the one step of a workflow calls, on a pull request and on any other event.

On a pull request: the policy, the evaluation, the gate, the comment. Elsewhere the evaluation and
the gate. Every file goes into one folder, to be uploaded; the checkout's history is not touched.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bot.commands.check_oracle_policy import write_policy_result
from bot.commands.post_comment import MayNotComment, Posting, post_section
from bot.commands.pull_request_policy import judge_pull_policy, settings_at
from bot.commands.render_comment import render_comment
from bot.commands.run import Ran, RunRequest, complete_run
from bot.comment.view import CommentInput, section_status
from bot.console import Console
from bot.environment import server_url
from bot.errors import BadInput, BotError, RuleSaysNo
from bot.github.interface import GitHub
from bot.history.identity import RunIdentity
from bot.policy.oracle import PolicyResult
from bot.settings import CONFIG_VARIABLE, Settings
from bot.suites import Suite

POLICY_RESULT: Final = "policy-result.json"
UNSAFE_EVENT: Final = "pull_request_target"
STOPPED: Final = "The evaluation stopped: {error}"


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """The pull request that a workflow runs for."""

    number: int
    head_sha: str
    base_sha: str


@dataclass(frozen=True, slots=True)
class CiRequest:
    """`pull` is None on an event that is no pull request's.

    `gold_set` is a flag's: the policy looks there too, whatever the pull request configures.
    """

    run: RunRequest
    identity: RunIdentity
    pull: PullRequestEvent | None = None
    gold_set: Path | None = None
    comment: bool = True


def find_pull_request_event(
    env: Mapping[str, str], event: dict[str, Any]
) -> PullRequestEvent | None:
    """None for an event that is no pull request's.

    Raises RuleSaysNo for `pull_request_target`, which would run a fork's code with our secrets, and
    BadInput for a pull request's event that is not one.
    """
    name = env.get("GITHUB_EVENT_NAME", "")
    if name == UNSAFE_EVENT:
        raise RuleSaysNo(
            "would run a pull request's code with this repository's secrets",
            where=f"on: {UNSAFE_EVENT}",
            next_step="use on: pull_request, and comment-from-run for forks",
        )
    if name != "pull_request":
        return None
    try:
        pull = event["pull_request"]
        found = (pull["number"], pull["head"]["sha"], pull["base"]["sha"])
    except (KeyError, TypeError):
        found = (None, None, None)
    number, head_sha, base_sha = found
    if not (isinstance(number, int) and isinstance(head_sha, str) and isinstance(base_sha, str)):
        raise BadInput("is no pull request's event", where="GITHUB_EVENT_PATH")
    return PullRequestEvent(number, head_sha, base_sha)


def run_ci(
    request: CiRequest,
    suite: Suite,
    settings: Settings,
    github: GitHub | None,
    now: datetime,
    console: Console,
) -> int:
    """The greatest of the exit codes: of the evaluation, the gate and the policy.

    `github` is needed for a pull request. An evaluation that stops is told in the comment too.
    Raises Unreachable.
    """
    pull, identity = request.pull, request.identity
    policy = None
    if pull is not None and github is not None:
        policy = _judge_policy(request, pull, suite, github, console)
    ran, stopped = _try_run(request, suite, settings, now, console, policy)
    data = ran.data if ran else _no_result(identity, policy, suite, stopped, console)
    codes = [
        stopped.exit_code if stopped else 0,
        ran.gate.verdict.exit_code if ran else 0,
        policy.verdict.exit_code if policy else 0,
    ]
    console.set_outputs({"status": section_status(data)})
    if pull is None or github is None or not request.comment:
        console.add_summary(render_comment(data, suite, request.run.templates)[1].text)
    else:
        head_sha = github.pull(pull.number).head_sha
        posting = Posting(
            pr_number=pull.number,
            sha=identity.sha,
            head_sha=head_sha,
            templates=request.run.templates,
            run_number=identity.run_number,
        )
        try:
            post_section(posting, data, suite, github, console)
        except MayNotComment as error:
            console.warn(str(error))
    return max(codes)


def _judge_policy(
    request: CiRequest, pull: PullRequestEvent, suite: Suite, github: GitHub, console: Console
) -> PolicyResult:
    """By the base's settings: a pull request that changes the rules is judged by the old ones."""
    base = settings_at(github, pull.base_sha, console.env.get(CONFIG_VARIABLE, ""))
    policy = judge_pull_policy(github, pull.number, pull.head_sha, suite, base, request.gold_set)
    write_policy_result(request.run.out / POLICY_RESULT, policy)
    console.tell("oracle-cassette policy", policy.verdict)
    console.set_outputs({"policy-result": str(request.run.out / POLICY_RESULT)})
    return policy


def _try_run(
    request: CiRequest,
    suite: Suite,
    settings: Settings,
    now: datetime,
    console: Console,
    policy: PolicyResult | None,
) -> tuple[Ran | None, BotError | None]:
    try:
        ran = complete_run(request.run, request.identity, suite, settings, now, console, policy)
        return ran, None
    except BotError as error:
        console.fail(error)
        return None, error


def _no_result(
    identity: RunIdentity,
    policy: PolicyResult | None,
    suite: Suite,
    stopped: BotError | None,
    console: Console,
) -> CommentInput:
    return CommentInput(
        words=suite.words,
        run=None,
        head_sha=identity.sha,
        policy=policy,
        server_url=server_url(console.env),
        note=STOPPED.format(error=stopped),
    )
