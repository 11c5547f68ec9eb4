"""The Git Data API: blobs, trees, commits and refs of the real bare repository."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime
from typing import Any

from tests.github_server import payloads_git as payloads
from tests.github_server.git_store import (
    NotFastForward,
    RefChanged,
    Signature,
    TreeChange,
    TreeEntry,
)
from tests.github_server.payloads import Json, node_id, repository_url
from tests.github_server.pull_requests import follow_branches
from tests.github_server.routing import reads, route, writes
from tests.github_server.wire import Answer, Call, Refusal, not_found

_GIT = "/repos/{owner}/{repo}/git"
_READ, _WRITE = reads("contents"), writes("contents")
_MODES = {
    "100644": "blob",
    "100755": "blob",
    "120000": "blob",
    "040000": "tree",
    "160000": "commit",
}
_SHA = re.compile(r"[0-9a-f]{40}")


@route("POST", f"{_GIT}/blobs", _WRITE)
def create_blob(call: Call) -> Answer:
    """Store content given as utf-8 or base64."""
    content, encoding = call.required("content", str), call.body().get("encoding", "utf-8")
    if encoding == "base64":
        try:
            raw = base64.b64decode("".join(content.split()), validate=True)
        except binascii.Error:
            raise Refusal(422, "content is not valid Base64") from None
    elif encoding == "utf-8":
        raw = content.encode()
    else:
        raise Refusal(422, f"encoding {encoding!r} is not supported")
    sha = call.repo.git.write_blob(raw)
    url = f"{repository_url(call.urls, call.repo)}/git/blobs/{sha}"
    return Answer(201, {"sha": sha, "url": url}, {"Location": url})


@route("GET", f"{_GIT}/blobs/{{file_sha}}", _READ)
def get_blob(call: Call) -> Answer:
    """A blob in base64 (or raw), up to 100 MB."""
    sha = _full_sha(call.parameters["file_sha"])
    info = call.repo.git.object_info(sha)
    if info is None or info[1] != "blob":
        raise not_found()
    if info[2] > call.state.limits.blob_bytes:
        raise too_large("The requested blob is too large to fetch via the API, limit is 100 MB.")
    found = call.repo.git.read_object(sha)
    assert found is not None
    if call.accepts("raw"):
        raw_type = "application/vnd.github.raw; charset=utf-8"
        return Answer(200, found[2], content_type=raw_type)
    shown = {
        "sha": sha,
        "node_id": node_id("Blob", sha),
        "size": info[2],
        "url": f"{repository_url(call.urls, call.repo)}/git/blobs/{sha}",
        "content": base64.encodebytes(found[2]).decode(),
        "encoding": "base64",
    }
    return Answer(200, shown)


@route("GET", f"{_GIT}/trees/{{tree_sha}}", _READ)
def get_tree(call: Call) -> Answer:
    """A tree by its sha or by a commit or ref; any value of `recursive` means recursive."""
    name = call.parameters["tree_sha"]
    store = call.repo.git
    info = store.object_info(f"{store.resolve_commit(name) or name}^{{tree}}")
    if info is None:
        raise not_found()
    recursive = "recursive" in call.query
    entries = store.read_tree_recursive(info[0]) if recursive else store.read_tree(info[0]) or []
    return Answer(200, _tree(call, info[0], entries))


@route("POST", f"{_GIT}/trees", _WRITE)
def create_tree(call: Call) -> Answer:
    """A tree from entries over an optional base; `sha: null` deletes a path."""
    store, body = call.repo.git, call.body()
    items = call.required("tree", list)
    base: str | None = None
    if body.get("base_tree") is not None:
        info = store.object_info(f"{body['base_tree']}^{{tree}}")
        if info is None:
            raise Refusal(422, "base_tree is not a valid tree oid")
        base = info[0]
    if not items and base is None:
        raise Refusal(422, "Invalid tree info")
    changes = dict(_tree_change(call, item) for item in items)
    try:
        sha = store.write_tree(base, changes)
    except KeyError:
        raise Refusal(422, "GitRPC::BadObjectState") from None
    shown = _tree(call, sha, store.read_tree(sha) or [])
    return Answer(201, shown, {"Location": shown["url"]})


@route("GET", f"{_GIT}/commits/{{commit_sha}}", _READ)
def get_commit(call: Call) -> Answer:
    """A commit object by its full sha."""
    sha = call.parameters["commit_sha"]
    commit = call.repo.git.read_commit(sha) if _SHA.fullmatch(sha) else None
    if commit is None:
        raise not_found()
    return Answer(200, payloads.git_commit(call.urls, call.repo, commit))


@route("POST", f"{_GIT}/commits", _WRITE)
def create_commit(call: Call) -> Answer:
    """A commit; without author it is the token's, at the server's time."""
    store, body = call.repo.git, call.body()
    message, tree = call.required("message", str), call.required("tree", str)
    parents = body.get("parents") or []
    if not store.has_object(tree, "tree"):
        raise Refusal(422, "Tree SHA does not exist")
    for parent in parents:
        if not store.has_object(str(parent), "commit"):
            raise Refusal(422, "Parent SHA does not exist or is not a commit object")
    author = _signature(call, body.get("author"), None)
    committer = _signature(call, body.get("committer"), author)
    sha = store.write_commit(tree, parents, message, author, committer)
    commit = store.read_commit(sha)
    assert commit is not None
    shown = payloads.git_commit(call.urls, call.repo, commit)
    return Answer(201, shown, {"Location": shown["url"]})


@route("GET", f"{_GIT}/ref/{{ref}}", _READ)
def get_ref(call: Call) -> Answer:
    """One ref by its exact name, given without `refs/`."""
    ref = f"refs/{call.parameters['ref']}"
    sha = call.repo.git.read_ref(ref)
    if sha is None:
        raise not_found()
    return Answer(200, _ref(call, ref, sha))


@route("GET", f"{_GIT}/matching-refs/{{ref}}", _READ)
def list_matching_refs(call: Call) -> Answer:
    """Refs whose name starts with this."""
    found = call.repo.git.list_refs(f"refs/{call.parameters['ref']}")
    return call.paged(found, lambda pair: _ref(call, *pair))


@route("POST", f"{_GIT}/refs", _WRITE)
def create_ref(call: Call) -> Answer:
    """422 when it exists, even at the same commit."""
    ref, sha = call.required("ref", str), call.required("sha", str)
    store = call.repo.git
    if not store.is_ref_name(ref):
        raise Refusal(422, f"{ref} is not a valid ref name.")
    if not _SHA.fullmatch(sha):
        raise Refusal(422, "The sha parameter must be exactly 40 characters and contain only"
                      " [0-9a-f].")  # fmt: skip
    if store.object_info(sha) is None:
        raise Refusal(422, "Object does not exist")
    if store.read_ref(ref) is not None:
        raise Refusal(422, "Reference already exists")
    try:
        store.create_ref(ref, sha)
    except RefChanged:
        raise Refusal(422, "Reference cannot be created") from None
    shown = _ref(call, ref, sha)
    return Answer(201, shown, {"Location": shown["url"]})


@route("PATCH", f"{_GIT}/refs/{{ref}}", _WRITE)
def update_ref(call: Call) -> Answer:
    """Compare and swap on what the ref holds; only `force` may lose commits."""
    ref, sha = f"refs/{call.parameters['ref']}", call.required("sha", str)
    store = call.repo.git
    old = store.read_ref(ref)
    if old is None:
        raise Refusal(422, "Reference does not exist")
    if not store.has_object(sha, "commit"):
        raise Refusal(422, "Object does not exist")
    try:
        store.update_ref(ref, sha, old, force=call.body().get("force") is True)
    except (NotFastForward, RefChanged):
        raise Refusal(422, "Update is not a fast forward") from None
    return Answer(200, _ref(call, ref, sha))


@route("DELETE", f"{_GIT}/refs/{{ref}}", _WRITE)
def delete_ref(call: Call) -> Answer:
    """Remove a ref; open pull requests from the branch are closed."""
    ref = f"refs/{call.parameters['ref']}"
    if call.repo.git.read_ref(ref) is None:
        raise Refusal(422, "Reference does not exist")
    call.repo.git.delete_ref(ref)
    for pull in call.repo.pulls:
        follow_branches(call.state, call.repo, call.repo.issues[pull.number])
    return Answer(204)


def too_large(message: str) -> Refusal:
    """GitHub's 403 for content beyond its limit."""
    return Refusal(403, message, [{"resource": "Blob", "field": "data", "code": "too_large"}])


def _full_sha(text: str) -> str:
    if not _SHA.fullmatch(text):
        raise Refusal(422, "The sha parameter must be exactly 40 characters and contain only"
                      " [0-9a-f].")  # fmt: skip
    return text


def _ref(call: Call, ref: str, sha: str) -> Json:
    info = call.repo.git.object_info(sha)
    kind = info[1] if info is not None else "commit"
    return payloads.git_ref(call.urls, call.repo, ref, sha, kind)


def _tree(call: Call, sha: str, entries: list[TreeEntry]) -> Json:
    own = f"{repository_url(call.urls, call.repo)}/git"
    shown = []
    for entry in entries:
        item: Json = {"path": entry.path, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
        if entry.type == "blob":
            info = call.repo.git.object_info(entry.sha)
            item["size"] = info[2] if info is not None else 0
        item["url"] = f"{own}/{entry.type}s/{entry.sha}"
        shown.append(item)
    return {"sha": sha, "url": f"{own}/trees/{sha}", "tree": shown, "truncated": False}


def _tree_change(call: Call, item: Any) -> tuple[str, TreeChange]:
    path, mode = str(item.get("path", "")), item.get("mode")
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Refusal(422, "tree.path contains a malformed path component")
    if "sha" in item and item["sha"] is None and "content" not in item:
        return path, None
    if mode not in _MODES:
        raise Refusal(422, "Must supply a valid tree.mode")
    if ("sha" in item) == ("content" in item):
        raise Refusal(422, "Must supply either tree.sha or tree.content, and not both.")
    if "content" in item:
        return path, TreeEntry(path, mode, call.repo.git.write_blob(str(item["content"]).encode()))
    kind, sha = _MODES[mode], str(item["sha"])
    if kind != "commit" and not call.repo.git.has_object(sha, kind):
        raise Refusal(422, f"tree.sha {sha} is not a valid {kind}")
    return path, TreeEntry(path, mode, sha)


def _signature(call: Call, given: Any, otherwise: Signature | None) -> Signature:
    """Author or committer as given, with the token's user and the server's time filled in."""
    if not given:
        return otherwise or Signature(call.actor.login, call.actor.email, call.state.now())
    date = given.get("date")
    try:
        when = datetime.fromisoformat(str(date)) if date is not None else call.state.now()
    except ValueError:
        raise Refusal(422, "Invalid request.\n\nThe date is not ISO 8601.") from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=call.state.now().tzinfo)
    name = str(given.get("name") or call.actor.login)
    return Signature(name, str(given.get("email") or call.actor.email), when)
