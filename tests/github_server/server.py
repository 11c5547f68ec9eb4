"""The HTTP loop of the test GitHub, and `GitHubServer`, which a test holds in its hands."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import shutil
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, cast
from urllib.parse import parse_qsl, unquote

from tests.github_server.contract import github_contract
from tests.github_server.dispatch import perform, token_value
from tests.github_server.faults import Fault, Faults, Hook, Hooks
from tests.github_server.rate_limits import rate_limit_of
from tests.github_server.request_log import RecordedRequest, matching
from tests.github_server.routing import Route, find_route
from tests.github_server.signed_urls import is_signed
from tests.github_server.state import State
from tests.github_server.wire import JSON_TYPE, Answer, Call, Urls

ENTERPRISE_PREFIX = "/api/v3"
NO_BODY_STATUSES = (204, 304)
Send = Callable[[Answer, Mapping[str, str]], None]


class GitHubServer:
    """A GitHub on 127.0.0.1. Use it as a context manager.

    `url` is the API at the root (as api.github.com), `enterprise_url` the same below `/api/v3`;
    `url` is the server's web address (`GITHUB_SERVER_URL`) in both cases. `requests` lists what was
    asked of the API, `storage_requests` what was asked of the artifact storage, which is another
    host. `contract_violations` and `internal_errors` must be empty at a test's end.
    """

    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()
        self.faults = Faults()
        self.hooks = Hooks()
        self.requests: list[RecordedRequest] = []
        self.storage_requests: list[RecordedRequest] = []
        self.contract_violations: list[str] = []
        self.internal_errors: list[str] = []
        self.directory = Path(tempfile.mkdtemp(prefix="github-server-"))
        self.lock = threading.RLock()
        self._contract = github_contract()
        self._numbers = itertools.count(1)
        self._stopping = threading.Event()
        self._api = _LoopbackServer(self, _ApiHandler)
        self._storage = _LoopbackServer(self, _StorageHandler)
        self.url = f"http://127.0.0.1:{self._api.server_port}"
        self.enterprise_url = self.url + ENTERPRISE_PREFIX
        # Another host name than the API's, as in reality: clients drop the Authorization header
        # when a redirect leaves the host.
        self.storage_url = f"http://localhost:{self._storage.server_port}"

    def __enter__(self) -> GitHubServer:
        for loop in (self._api, self._storage):
            loop.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Close all connections and remove the repositories."""
        self._stopping.set()
        for loop in (self._api, self._storage):
            loop.stop()
        with self.lock:
            for repo in self.state.repositories.values():
                repo.git.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def before(
        self, method: str | None, path: str, hook: Hook, *, nth: int = 1, times: int | None = 1
    ) -> None:
        """Run `hook(request)` before the nth matching call (regular expression) is carried out."""
        self.hooks.add("before", method, path, hook, nth, times)

    def after(
        self, method: str | None, path: str, hook: Hook, *, nth: int = 1, times: int | None = 1
    ) -> None:
        """Run `hook(request)` after the nth matching call, before its answer is sent."""
        self.hooks.add("after", method, path, hook, nth, times)

    def asked(
        self, method: str | None = None, path: str = "", token: str | None = None
    ) -> list[RecordedRequest]:
        """Requests so far with this method, path (regular expression) and token value."""
        return matching(list(self.requests), method, path, token)

    @property
    def writes(self) -> list[RecordedRequest]:
        """Requests so far that may have changed something."""
        return [one for one in list(self.requests) if one.is_write]

    # --- one request ---------------------------------------------------------------------------

    def serve_api(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes, send: Send
    ) -> None:
        """Answer one request to the API; not answering at all is a fault that was asked for."""
        path, _, query_text = target.partition("?")
        base = self.url
        if path == ENTERPRISE_PREFIX or path.startswith(ENTERPRISE_PREFIX + "/"):
            path, base = path[len(ENTERPRISE_PREFIX) :], self.enterprise_url
        query = dict(parse_qsl(query_text, keep_blank_values=True))
        record = self._recorded(method, path, query, headers, body, base)
        self.requests.append(record)
        found = find_route(method, path)
        if found is not None:
            record.operation = found[0].template
            self._check_request(record, found[1])
        self.hooks.run("before", record)
        fault = self.faults.next_fault(method, path, record.token)
        record.fault = None if fault is None else fault.kind.value
        if fault is not None and not fault.kind.happens_after_change:
            answer = fault.answer(self.state.timestamp())
        else:
            answer = self._perform(record, found)
            self.hooks.run("after", record)
            if fault is not None:
                answer = fault.answer(self.state.timestamp())
        if fault is not None and fault.kind.is_silent:
            self._hold(fault)
            raise ConnectionAbortedError(f"the test asked for {fault.kind}")
        record.status = answer.status
        send(answer, self._usual_headers(record, answer))

    def serve_storage(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes, send: Send
    ) -> None:
        """The artifact storage: a signed query opens it, an Authorization header is refused."""
        path, _, query_text = target.partition("?")
        query = dict(parse_qsl(query_text))
        record = self._recorded(method, path, query, headers, body, self.storage_url)
        self.storage_requests.append(record)
        self.hooks.run("before", record)
        fault = self.faults.next_fault(method, path, record.token)
        if fault is not None and fault.kind.is_silent:
            self._hold(fault)
            raise ConnectionAbortedError(f"the test asked for {fault.kind}")
        if fault is not None:
            answer = fault.answer(self.state.timestamp())
        else:
            answer = self._stored(path, query, headers)
        record.status = answer.status
        send(answer, {})

    def _recorded(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes,
        base: str,
    ) -> RecordedRequest:
        number, token = next(self._numbers), token_value(headers)
        return RecordedRequest(number, method, path, query, headers, body, base, token)

    def _perform(
        self, record: RecordedRequest, found: tuple[Route, dict[str, str]] | None
    ) -> Answer:
        route, parameters = found if found is not None else (None, {})
        call = Call(
            state=self.state,
            urls=Urls(api=record.base, html=self.url),
            storage_url=self.storage_url,
            method=record.method,
            path=record.path,
            parameters=parameters,
            query=record.query,
            headers=record.headers,
            raw_body=record.raw_body,
        )
        try:
            with self.lock:
                answer = perform(route, call)
        except Exception:
            self.internal_errors.append(f"{record}: {traceback.format_exc()}")
            return Answer(500, {"message": "the test GitHub itself failed"})
        self._check_answer(record, answer)
        return answer

    def _check_request(self, record: RecordedRequest, parameters: Mapping[str, str]) -> None:
        found = self._contract.request_violations(
            record.method,
            record.operation or "",
            parameters,
            list(record.query.items()),
            record.raw_body,
        )
        self.contract_violations += [f"#{record.number} {one}" for one in found]

    def _check_answer(self, record: RecordedRequest, answer: Answer) -> None:
        found = self._contract.answer_violations(
            record.method,
            record.operation or "",
            answer.status,
            answer.content_type,
            answer.headers,
            answer.encoded(),
        )
        self.contract_violations += [f"#{record.number} {one}" for one in found]

    def _usual_headers(self, record: RecordedRequest, answer: Answer) -> dict[str, str]:
        token = self.state.tokens.get(record.token or "")
        headers = {
            "X-GitHub-Request-Id": f"TEST:{record.number:06d}",
            "X-GitHub-Media-Type": "github.v3; format=json",
            **rate_limit_of(token, self.state.timestamp()).headers(),
        }
        if record.method == "GET" and answer.status == 200:
            headers["ETag"] = f'W/"{hashlib.sha256(answer.encoded()).hexdigest()}"'
        return headers

    def _hold(self, fault: Fault) -> None:
        if fault.kind.holds:
            self._stopping.wait(fault.seconds)

    def _stored(self, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        if "authorization" in headers:
            return _storage_error(400, "InvalidAuthenticationInfo")
        if not is_signed(unquote(path), query, self.state.timestamp()):
            return _storage_error(403, "AuthenticationFailed")
        owner, name, file = unquote(path).removeprefix("/artifacts/").split("/")
        with self.lock:
            repo = self.state.repository(f"{owner}/{name}")
            artifact = repo.artifacts.get(int(file.removesuffix(".zip"))) if repo else None
        if artifact is None:
            return _storage_error(404, "BlobNotFound")
        return Answer(200, artifact.data, content_type="application/zip")


def _storage_error(status: int, code: str) -> Answer:
    page = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'
    return Answer(status, page.encode(), content_type="application/xml")


class _LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, github: GitHubServer, handler: type[BaseHTTPRequestHandler]) -> None:
        self.github = github
        self._open: set[socket.socket] = set()
        self._thread: threading.Thread | None = None
        super().__init__(("127.0.0.1", 0), handler)

    def start(self) -> None:
        poll_seconds = 0.02
        self._thread = threading.Thread(
            target=self.serve_forever, args=(poll_seconds,), name="github-server", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self.shutdown()
            self._thread.join()
        self.server_close()
        for connection in list(self._open):
            _shut(connection)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; a hook that raised is."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            self.github.internal_errors.append(traceback.format_exc())


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # The client may have been quicker.
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "GitHub.com"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1
    """Buffered, so that head and body leave in one packet."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence; `GitHubServer.requests` is the log."""

    def answer_request(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length") or 0))
        try:
            self._serve(headers, body)
        except ConnectionAbortedError:
            self.close_connection = True
            _shut(self.connection)

    def _serve(self, headers: Mapping[str, str], body: bytes) -> None:
        raise NotImplementedError

    @property
    def github(self) -> GitHubServer:
        return cast(_LoopbackServer, self.server).github

    def _send(self, answer: Answer, usual: Mapping[str, str]) -> None:
        body = answer.encoded()
        headers = {**usual, **answer.headers}
        if headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
            answer, body = Answer(304), b""
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status not in NO_BODY_STATUSES:
            self.send_header("Content-Type", answer.content_type if body else JSON_TYPE)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer_request  # noqa: N815


class _ApiHandler(_Handler):
    def _serve(self, headers: Mapping[str, str], body: bytes) -> None:
        self.github.serve_api(self.command, self.path, headers, body, self._send)


class _StorageHandler(_Handler):
    def _serve(self, headers: Mapping[str, str], body: bytes) -> None:
        self.github.serve_storage(self.command, self.path, headers, body, self._send)
