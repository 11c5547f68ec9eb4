"""`publish-from-run`: verify a dispatch, download the run's artifact, check it, publish its run."""

from bot.commands.download_run import download_run_files
from bot.commands.publish_remote import RemoteRequest, run_publish_remote
from bot.commands.verify_dispatch import VerifyRequest, run_facts, verify
from bot.console import Console
from bot.errors import RuleSaysNo
from bot.github.interface import GitHub, WorkflowRun
from bot.github.workflow_runs import Waiting
from bot.history.file import parse_history
from bot.history.model import StoredRun
from bot.policy.dispatch import PublishedFacts, judge_artifact
from bot.settings import Settings
from bot.suites import Suite

NO_ARTIFACT = "run {run_id} has no artifact {name!r} that has not expired"
NO_FILE = "the artifact holds no {name}"
NO_RUN = "the artifact's history holds no run"


def _published(github: GitHub, run: WorkflowRun, suite: Suite) -> bytes:
    """The published file in the run's artifact; raises RuleSaysNo when it is not there."""
    found = download_run_files(github, run.id, suite)
    if found is None:
        sentence = NO_ARTIFACT.format(run_id=run.id, name=suite.artifact_name)
        raise RuleSaysNo(sentence, where="artifact")
    name = suite.data_file.name
    if name not in found:
        raise RuleSaysNo(NO_FILE.format(name=name), where="artifact")
    return found[name]


def _newest_run(data: bytes, suite: Suite, run: WorkflowRun, console: Console) -> StoredRun | None:
    """The artifact's newest run when it is the workflow run's; None, with the reasons told."""
    history, _ = parse_history(data, suite.name, "artifact")
    if not history.runs:
        raise RuleSaysNo(NO_RUN, where="artifact")
    newest = history.runs[0]
    entry = newest.entry
    facts = PublishedFacts(entry.sha, entry.run_number, entry.run_url, entry.status)
    verdict = judge_artifact(facts, run_facts(run), run.url)
    console.tell("artifact", verdict)
    return newest if verdict.ok else None


def run_publish_from_run(
    request: VerifyRequest,
    remote: RemoteRequest,
    suite: Suite,
    settings: Settings,
    github: GitHub,
    console: Console,
    waiting: Waiting,
) -> int:
    """0 when the run is published, or was before; 1 when a claim or the artifact does not hold.

    Raises BadInput for an artifact or published files that cannot be used, Unreachable for GitHub.
    """
    run, verdict = verify(request, settings, github, waiting)
    console.tell("dispatch", verdict)
    if not verdict.ok:
        return verdict.exit_code
    newest = _newest_run(_published(github, run, suite), suite, run, console)
    if newest is None:
        return RuleSaysNo.exit_code
    return run_publish_remote(newest, remote, suite, settings, github, console, waiting.sleep)
