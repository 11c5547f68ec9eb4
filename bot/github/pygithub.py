"""The one importer of PyGithub: its client for authentication and transport, plain types out.

Requests are made one by one through the client's requester, so that each command's number of
requests is known. The client's own retries and pauses are off: `bot.github.retry` has the rules.
"""

import base64
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from bot.errors import BadInput, one_line
from bot.github import parse
from bot.github.download import TIMEOUT_SECONDS, download
from bot.github.interface import (
    Artifact,
    CheckReport,
    Comment,
    CommitState,
    GitHubRefused,
    PullFile,
    PullRequest,
    Tip,
    WorkflowRun,
)
from bot.github.retry import Answer, Failed, Retrier

if TYPE_CHECKING:
    from github import Github
    from github.Auth import AppAuth, Auth

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
DEFAULT_API_URL: Final = "https://api.github.com"
PAGE_SIZE: Final = 100
MAX_PULL_FILES: Final = 3_000
MAX_ANNOTATIONS: Final = 50
"""GitHub takes this many annotations in one request."""
MAX_STATUS_CHARS: Final = 140
ACTIONS_LOGIN: Final = "github-actions[bot]"
_INSTALLATION_PREFIX: Final = "ghs_"


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """A GitHub App's installation; the key is PEM text and never shown."""

    app_id: int
    private_key: str
    installation_id: int

    def __repr__(self) -> str:
        return f"AppCredentials(app_id={self.app_id}, installation_id={self.installation_id})"


@dataclass(frozen=True, slots=True)
class Credentials:
    """A token, or an App. `login` overrides who we are, for a token that another App made."""

    token: str = ""
    app: AppCredentials | None = None
    login: str = ""

    def __repr__(self) -> str:
        return "Credentials(…)"


def _app_auth(app: AppCredentials) -> "AppAuth":
    from github import Auth

    # GitHub refuses a key that lives over ten minutes by its own clock: stay well below
    auth = Auth.AppAuth(app.app_id, app.private_key, jwt_expiry=480, jwt_issued_at=-60)
    try:
        auth.create_jwt()
    except Exception:  # whatever the key makes its library raise; it may quote the key
        raise BadInput("is no RSA key in PEM form", where="the GitHub App's private key") from None
    return auth


def _client(auth: "Auth", api_url: str) -> "Github":
    from github import Github

    for logger in ("github", "urllib3"):  # they log addresses that are signed
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    return Github(
        auth=auth,
        base_url=api_url,
        timeout=TIMEOUT_SECONDS,
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
        user_agent="extraction-benchmark-bot",
    )


def _auth(credentials: Credentials) -> "Auth":
    from github import Auth

    if credentials.app is not None:
        app = credentials.app
        return Auth.AppInstallationAuth(_app_auth(app), app.installation_id)
    if not credentials.token:
        raise BadInput(
            "no GitHub token",
            where="--github-token",
            next_step="give it, or set GITHUB_TOKEN or GH_TOKEN",
        )
    return Auth.Token(credentials.token)


class PyGithubApi:
    """`bot.github.interface.GitHub` over PyGithub."""

    def __init__(
        self,
        repository: str,
        credentials: Credentials,
        api_url: str = DEFAULT_API_URL,
        retrier: Retrier | None = None,
    ) -> None:
        if not _NAME.fullmatch(repository):
            raise BadInput(f"{repository!r} is no OWNER/NAME", where="--github-repository")
        self._repository = repository
        self._credentials = credentials
        self._api_url = api_url.rstrip("/")
        self._github = _client(_auth(credentials), self._api_url)
        self._retrier = retrier or Retrier()
        self._base = f"/repos/{repository}"
        self._login = credentials.login

    # transport

    def _once(
        self, client: "Github", verb: str, path: str, body: Any, parameters: dict[str, Any] | None
    ) -> Any:
        import requests
        from github import GithubException

        try:
            status, headers, text = client.requester.requestJson(verb, path, parameters, None, body)
        except GithubException as error:  # while fetching an App's token
            data = error.data if isinstance(error.data, dict) else {}
            message = str(data.get("message", "refused"))
            known = {str(k).lower(): str(v) for k, v in (error.headers or {}).items()}
            raise Failed(
                Answer(error.status, known, message), f"{error.status} {message}"
            ) from None
        except requests.RequestException as error:
            raise Failed(None, f"no answer ({type(error).__name__})") from None
        except RuntimeError:  # a redirection that the client does not follow
            raise Failed(Answer(301, {}, ""), "it redirects to another address") from None
        if status >= 400:
            message = parse.message_of(text)
            raise Failed(Answer(status, headers, message), f"{status} {message}")
        if status >= 300 and not (status == 302 and path.endswith("/zip")):
            raise Failed(Answer(status, headers, ""), f"{status}: it has moved and has a new name")
        try:
            return headers, json.loads(text) if text else None
        except ValueError:
            raise Failed(None, "an answer that is no JSON") from None

    def _ask(
        self,
        verb: str,
        path: str,
        body: Any = None,
        parameters: dict[str, Any] | None = None,
        *,
        repeatable: bool = True,
        outdates: bool = False,
        client: "Github | None" = None,
    ) -> Any:
        """(headers, JSON) of an answer; JSON is None where there is none."""
        return self._retrier.call(
            lambda: self._once(client or self._github, verb, path, body, parameters),
            where=f"GitHub {verb} {path}",
            repeatable=repeatable,
            outdates=outdates,
        )

    def _get(self, path: str, **parameters: Any) -> Any:
        return self._ask("GET", f"{self._base}{path}", None, parameters or None)[1]

    def _send(
        self, verb: str, path: str, body: Any, *, repeatable: bool = True, outdates: bool = False
    ) -> Any:
        url = f"{self._base}{path}"
        return self._ask(verb, url, body, repeatable=repeatable, outdates=outdates)[1]

    def _pages(self, path: str, **parameters: Any) -> Iterator[Any]:
        """The pages of a list, fetched one by one, for as long as `Link` names a next one."""
        page = 1
        while True:
            query = {**parameters, "per_page": PAGE_SIZE, "page": page}
            headers, data = self._ask("GET", f"{self._base}{path}", None, query)
            yield data
            if 'rel="next"' not in headers.get("link", ""):
                return
            page += 1

    # identity

    @property
    def repository(self) -> str:
        return self._repository

    def login(self) -> str:
        """GITHUB_TOKEN may not ask `GET /user`: its author is known; an App's is `<slug>[bot]`."""
        if not self._login:
            app, token = self._credentials.app, self._credentials.token
            if app is not None:
                client = _client(_app_auth(app), self._api_url)
                self._login = f"{self._ask('GET', '/app', client=client)[1]['slug']}[bot]"
            elif token.startswith(_INSTALLATION_PREFIX):
                self._login = ACTIONS_LOGIN  # or of another App: create_comment will tell
            else:
                self._login = str(self._ask("GET", "/user")[1]["login"])
        return self._login

    def wrote(self, comment: Comment) -> bool:
        """An App knows its comments by its id, which costs no request."""
        app = self._credentials.app
        if app is not None and (comment.app_id is not None or not comment.is_bot):
            return comment.is_bot and comment.app_id == app.app_id
        login = self.login()
        return comment.author == login and comment.is_bot == login.endswith("[bot]")

    def default_branch(self) -> str:
        return str(self._get("")["default_branch"])

    # comments

    def comments(self, issue: int) -> Iterator[Comment]:
        for page in self._pages(f"/issues/{issue}/comments"):
            yield from map(parse.comment, page)

    def create_comment(self, issue: int, body: str) -> Comment:
        """Its author is us, whatever we thought: another App's token looks like GITHUB_TOKEN."""
        path, fields = f"/issues/{issue}/comments", {"body": body}
        made = parse.comment(self._send("POST", path, fields, repeatable=False, outdates=True))
        self._login = made.author
        return made

    def edit_comment(self, comment: int, body: str) -> Comment:
        path, fields = f"/issues/comments/{comment}", {"body": body}
        return parse.comment(self._send("PATCH", path, fields, repeatable=False, outdates=True))

    def delete_comment(self, comment: int) -> None:
        self._send("DELETE", f"/issues/comments/{comment}", None)

    # pull requests

    def pull(self, number: int) -> PullRequest:
        return parse.pull(self._get(f"/pulls/{number}"))

    def pulls(self, head: str, base: str | None = None, state: str = "open") -> list[PullRequest]:
        query = {"head": head, "state": state, **({"base": base} if base else {})}
        return [parse.pull(item) for page in self._pages("/pulls", **query) for item in page]

    def create_pull(self, title: str, body: str, head: str, base: str) -> PullRequest:
        fields = {"title": title, "body": body, "head": head, "base": base}
        return parse.pull(self._send("POST", "/pulls", fields, repeatable=False))

    def edit_pull(self, number: int, title: str, body: str) -> PullRequest:
        return parse.pull(self._send("PATCH", f"/pulls/{number}", {"title": title, "body": body}))

    def pull_files(self, number: int) -> tuple[list[PullFile], bool]:
        files = [
            parse.pull_file(item) for page in self._pages(f"/pulls/{number}/files") for item in page
        ]
        return files, len(files) < MAX_PULL_FILES

    def add_labels(self, issue: int, labels: Sequence[str]) -> None:
        self._send("POST", f"/issues/{issue}/labels", {"labels": list(labels)})

    # git data

    def tip(self, branch: str) -> Tip | None:
        try:
            return parse.tip(self._get(f"/branches/{quote(branch)}"))
        except GitHubRefused as error:
            if error.status == 404:
                return None
            raise

    def create_ref(self, branch: str, sha: str) -> None:
        fields = {"ref": f"refs/heads/{branch}", "sha": sha}
        self._send("POST", "/git/refs", fields, repeatable=False)

    def update_ref(self, branch: str, sha: str) -> None:
        fields = {"sha": sha, "force": False}
        self._send("PATCH", f"/git/refs/heads/{quote(branch)}", fields, repeatable=False)

    def tree_paths(self, tree_sha: str) -> Mapping[str, str]:
        tree = self._get(f"/git/trees/{tree_sha}", recursive="1")
        if tree.get("truncated"):
            raise GitHubRefused(
                200, "the tree is too large to be listed", where=f"GitHub tree {tree_sha}"
            )
        return {item["path"]: item["sha"] for item in tree["tree"] if item["type"] == "blob"}

    def blob(self, sha: str) -> bytes:
        return base64.b64decode(self._get(f"/git/blobs/{sha}")["content"])

    def create_tree(
        self, base_tree: str, texts: Mapping[str, str], blobs: Mapping[str, str]
    ) -> str:
        file = {"mode": "100644", "type": "blob"}
        entries = [{"path": path, "content": text, **file} for path, text in texts.items()]
        entries += [{"path": path, "sha": sha, **file} for path, sha in blobs.items()]
        fields = {"base_tree": base_tree, "tree": entries}
        return str(self._send("POST", "/git/trees", fields)["sha"])

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> str:
        fields = {"message": message, "tree": tree, "parents": list(parents)}
        return str(self._send("POST", "/git/commits", fields)["sha"])

    def read_file(self, path: str, ref: str) -> bytes | None:
        try:
            found = self._get(f"/contents/{quote(path)}", ref=ref)
        except GitHubRefused as error:
            if error.status == 404:
                return None
            raise
        if isinstance(found, list) or found.get("type") != "file":
            raise GitHubRefused(200, "is no file", where=f"GitHub {path}")
        if found.get("encoding") == "base64" and (found["content"] or not found["size"]):
            return base64.b64decode(found["content"])
        return self.blob(found["sha"])  # over 1 MB the contents are left out

    # workflow runs

    def workflow_run(self, run_id: int) -> WorkflowRun:
        return parse.workflow_run(self._get(f"/actions/runs/{run_id}"))

    def artifacts(self, run_id: int, name: str) -> list[Artifact]:
        pages = self._pages(f"/actions/runs/{run_id}/artifacts", name=name)
        return [parse.artifact(item) for page in pages for item in page["artifacts"]]

    def download_artifact(self, artifact: int, to: Path, max_bytes: int) -> None:
        where = f"GitHub artifact {artifact}"
        headers, _ = self._ask("GET", f"{self._base}/actions/artifacts/{artifact}/zip")
        address = headers.get("location", "")
        api = urlsplit(self._github.requester.base_url)
        if urlsplit(address).scheme not in ("https", api.scheme):
            raise GitHubRefused(302, "redirects to no address we follow", where=where)
        self._retrier.call(
            lambda: download(address, to, max_bytes, where), where=where, repeatable=True
        )

    def dispatch(self, event_type: str, payload: Mapping[str, object]) -> None:
        fields = {"event_type": event_type, "client_payload": dict(payload)}
        self._send("POST", "/dispatches", fields)  # a replay is skipped by its receiver

    # statuses

    def set_status(
        self, sha: str, state: CommitState, context: str, description: str, url: str | None
    ) -> None:
        fields = {
            "state": state,
            "context": context,
            "description": one_line(description, MAX_STATUS_CHARS),
            **({"target_url": url} if url else {}),
        }
        self._send("POST", f"/statuses/{sha}", fields)

    def create_check(self, sha: str, report: CheckReport) -> None:
        """Annotations over GitHub's bound for one request follow in further requests."""
        annotations = [
            {
                "path": a.path,
                "start_line": a.line,
                "end_line": a.line,
                "annotation_level": a.level,
                "message": a.message,
            }
            for a in report.annotations
        ]

        def output(part: list[dict[str, Any]]) -> dict[str, Any]:
            return {"title": report.title, "summary": report.summary, "annotations": part}

        fields = {
            "name": report.name,
            "head_sha": sha,
            "status": "completed",
            "conclusion": report.conclusion,
            "output": output(annotations[:MAX_ANNOTATIONS]),
            **({"details_url": report.details_url} if report.details_url else {}),
        }
        made = self._send("POST", "/check-runs", fields)
        for start in range(MAX_ANNOTATIONS, len(annotations), MAX_ANNOTATIONS):
            part = output(annotations[start : start + MAX_ANNOTATIONS])
            self._send("PATCH", f"/check-runs/{made['id']}", {"output": part})
