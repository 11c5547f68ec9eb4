"""The Contents API, with GitHub's limits on size."""

from __future__ import annotations

import base64
from urllib.parse import quote

from tests.github_server.git_store import TreeEntry
from tests.github_server.payloads import Json, repository_url
from tests.github_server.routes.git_data import too_large
from tests.github_server.routing import reads, route
from tests.github_server.wire import Answer, Call, not_found

_CONTENTS = "/repos/{owner}/{repo}/contents"
MAX_DIRECTORY_ENTRIES = 1_000
_TYPES = {"blob": "file", "tree": "dir", "commit": "submodule"}


@route("GET", _CONTENTS, reads("contents"))
@route("GET", f"{_CONTENTS}/", reads("contents"))
def get_root(call: Call) -> Answer:
    """The root directory."""
    return _content(call, "")


@route("GET", f"{_CONTENTS}/{{path}}", reads("contents"))
def get_content(call: Call) -> Answer:
    """A file, a symlink or a directory at `ref` (the default branch unless given).

    Above 1 MB a file's JSON has an empty `content` and `encoding` `none`; raw serves up to 100 MB;
    above that it is 403.
    """
    return _content(call, call.parameters["path"].strip("/"))


def _content(call: Call, path: str) -> Answer:
    ref = call.query.get("ref") or call.repo.default_branch
    commit = call.repo.git.resolve_commit(ref.removeprefix("refs/heads/"))
    if commit is None:
        raise not_found()
    if not path:
        return _directory(call, commit, path, ref)
    entry = _find_entry(call, commit, path)
    if entry is None:
        raise not_found()
    return _directory(call, commit, path, ref) if entry.type == "tree" else _file(call, entry, ref)


def _find_entry(call: Call, commit: str, path: str) -> TreeEntry | None:
    parent, _, name = path.rpartition("/")
    for entry in call.repo.git.read_tree(f"{commit}:{parent}") or []:
        if entry.path == name:
            return TreeEntry(path, entry.mode, entry.sha)
    return None


def _directory(call: Call, commit: str, path: str, ref: str) -> Answer:
    prefix = f"{path}/" if path else ""
    entries = (call.repo.git.read_tree(f"{commit}:{path}") or [])[:MAX_DIRECTORY_ENTRIES]
    shown = [
        _entry(call, TreeEntry(prefix + entry.path, entry.mode, entry.sha), ref)
        for entry in entries
    ]
    if not call.accepts("object"):
        return Answer(200, shown)
    info = call.repo.git.object_info(f"{commit}:{path}")
    assert info is not None
    own = _entry(call, TreeEntry(path, "040000", info[0]), ref)
    content_type = "application/vnd.github.object; charset=utf-8"
    return Answer(200, {**own, "entries": shown}, content_type=content_type)


def _file(call: Call, entry: TreeEntry, ref: str) -> Answer:
    shown = _entry(call, entry, ref)
    size, limits = shown["size"], call.state.limits
    if size > limits.contents_raw_bytes:
        raise too_large("The requested file is too large to be served by this endpoint.")
    if entry.mode == "160000":
        url = f"{call.urls.html}/{call.repo.full_name}.git"
        return Answer(200, {**shown, "submodule_git_url": url})
    found = call.repo.git.read_object(entry.sha)
    content = found[2] if found is not None else b""
    if call.accepts("raw"):
        raw_type = "application/vnd.github.raw+json; charset=utf-8"
        return Answer(200, content, content_type=raw_type)
    if entry.mode == "120000":
        return Answer(200, {**shown, "type": "symlink", "target": content.decode()})
    is_small = size <= limits.contents_json_bytes
    shown["content"] = base64.encodebytes(content).decode() if is_small else ""
    shown["encoding"] = "base64" if is_small else "none"
    if call.accepts("object"):
        return Answer(200, shown, content_type="application/vnd.github.object; charset=utf-8")
    return Answer(200, shown)


def _entry(call: Call, entry: TreeEntry, ref: str) -> Json:
    info = call.repo.git.object_info(entry.sha) if entry.type == "blob" else None
    path = quote(entry.path, errors="surrogateescape")
    kind = "symlink" if entry.mode == "120000" else _TYPES[entry.type]
    git_kind = "blobs" if entry.type == "blob" else "trees"
    own = repository_url(call.urls, call.repo)
    web = f"{call.urls.html}/{call.repo.full_name}"
    page = f"{web}/{'tree' if kind == 'dir' else 'blob'}/{quote(ref)}/{path}"
    links = {
        "self": f"{own}/contents/{path}?ref={quote(ref, safe='')}",
        "git": f"{own}/git/{git_kind}/{entry.sha}",
        "html": page,
    }
    return {
        "type": kind,
        "size": info[2] if info is not None else 0,
        "name": entry.path.rpartition("/")[2],
        "path": entry.path,
        "sha": entry.sha,
        "url": links["self"],
        "git_url": links["git"],
        "html_url": page,
        "download_url": f"{web}/raw/{quote(ref)}/{path}" if kind == "file" else None,
        "_links": links,
    }
