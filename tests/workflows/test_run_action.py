"""A team's own repository with the action: the README's quick start, and what `init` writes."""

import re
from pathlib import Path

import pytest

from bot.commands.init import InitRequest, new_files
from tests.github_server.scenario import create_repository, create_token, open_pull_request
from tests.github_server.server import GitHubServer
from tests.support.github_place import ROOT, GitHubPlace
from tests.support.gold import write_gold_set
from tests.workflows import events
from tests.workflows.act import run_workflow
from tests.workflows.test_run_workflows import comment_bodies, run_of_pull

ACTION = f"octo-org/extraction-bot@{'b' * 40}"
GOLD_SET = "eval/gold_set/v1"


@pytest.fixture
def team(github_server: GitHubServer, tmp_path: Path) -> GitHubPlace:
    """A repository of another team, with a gold set of its own and what `init` writes."""
    write_gold_set(tmp_path / "gold")
    files = {f"{GOLD_SET}/{path.name}": path.read_bytes() for path in (tmp_path / "gold").iterdir()}
    request = InitRequest(tmp_path, ACTION, "main", gold_set=GOLD_SET)
    files |= {path: text.encode() for path, text in new_files(request).items()}
    repo = create_repository(github_server, "octo-org/memory", files)
    return GitHubPlace(github_server, repo, create_token(github_server, repository=repo))


def test_the_readmes_quick_start_comments_a_pull_request(team: GitHubPlace, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text()
    (quick_start,) = re.findall(r"^```yaml\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    issue = open_pull_request(team.server, team.repo, files={"README.md": "# Better\n"})
    run = run_of_pull(team, issue)
    payload = events.pull_request(team, issue)
    text = quick_start.replace("OWNER/REPO@FULL_COMMIT_SHA", ACTION)
    done = run_workflow(tmp_path / "run", team, text, "pull_request", payload, run, jobs=["eval"])
    assert done.code == 0, done.log
    (body,) = comment_bodies(team)
    assert "PASS" in body
    assert run.head_sha[:7] in body


def test_what_init_writes_comments_a_pull_request_and_fails_when_it_stops(
    team: GitHubPlace, tmp_path: Path
) -> None:
    cassettes = team.git("show", f"main:{GOLD_SET}/openai_cassettes.jsonl")
    files = {f"{GOLD_SET}/openai_cassettes.jsonl": cassettes.replace("preference", "factual")}
    issue = open_pull_request(team.server, team.repo, files=files)
    run = run_of_pull(team, issue)
    payload = events.pull_request(team, issue)
    text = team.git("show", "main:.github/workflows/extraction-eval.yml")
    jobs = ["evaluate", "comment"]
    done = run_workflow(tmp_path / "run", team, text, "pull_request", payload, run, jobs=jobs)
    assert done.code == 1, done.log
    assert done.job_passed("comment")
    assert done.checkouts[1][1] == team.git("rev-parse", "main").strip()
    (body,) = comment_bodies(team)
    assert "no result" in body.lower()  # the cassettes are not those of the manifest
