"""Checks requests and answers against GitHub's own description of its REST API.

The description is the subset beside this file; `openapi-core` does the checking. The route that
served a request names its path template, so no path is searched for: GitHub's parameters may hold
slashes (`contents/{path}`, `git/ref/{ref}`), which a generic path finder cannot match.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema_path import SchemaPath
from openapi_core.datatypes import RequestParameters
from openapi_core.deserializing.media_types.datatypes import DeserializerCallable
from openapi_core.templating.datatypes import TemplateResult
from openapi_core.templating.paths.datatypes import PathOperationServer
from openapi_core.templating.paths.exceptions import PathNotFound
from openapi_core.templating.paths.finders import BasePathFinder
from openapi_core.validation.request.validators import V30RequestValidator
from openapi_core.validation.response.validators import V30ResponseValidator
from openapi_core.validation.schemas import (
    oas30_read_schema_validators_factory,
    oas30_write_schema_validators_factory,
)
from openapi_core.validation.schemas.datatypes import FormatValidatorsDict
from openapi_core.validation.schemas.factories import SchemaValidatorsFactory
from openapi_core.validation.schemas.validators import SchemaValidator
from werkzeug.datastructures import Headers, ImmutableMultiDict

DESCRIPTION_FILE = Path(__file__).with_name("github-rest-subset.openapi.json")

OPERATIONS_WITHOUT_CHECK: Mapping[tuple[str, str], str] = {
    ("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref}"): "not among the subset's 38 paths",
    ("GET", "/repos/{owner}/{repo}/actions/runs"): "not among the subset's 38 paths",
    ("GET", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}"): (
        "not among the subset's 38 paths"
    ),
    ("GET", "/repos/{owner}/{repo}/commits/{ref}/status"): "not among the subset's 38 paths",
    ("GET", "/repos/{owner}/{repo}/labels/{name}"): "not among the subset's 38 paths",
    ("GET", "/users/{username}"): "not among the subset's 38 paths",
}
"""What the server serves although the subset does not describe it, each with the reason."""

_CONTENTS = "/repos/{owner}/{repo}/contents/{path}"
SAME_OPERATION: Mapping[str, str] = {
    "/repos/{owner}/{repo}/contents": _CONTENTS,
    "/repos/{owner}/{repo}/contents/": _CONTENTS,
    "/repos/{owner}/{repo}/statuses/{ref}": "/repos/{owner}/{repo}/commits/{ref}/statuses",
}
"""Templates that the description has under another one: the empty path of a root directory, and
the old address of a commit's statuses, which GitHub still serves and PyGithub still asks."""

BODIES_WIDER_THAN_THE_SUBSET: Mapping[tuple[str, str], type] = {
    # PyGithub's `add_to_labels` and `set_labels` send the bare list. GitHub takes it; the subset
    # describes only the object form `{"labels": [...]}`.
    ("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels"): list,
    ("PUT", "/repos/{owner}/{repo}/issues/{issue_number}/labels"): list,
}
"""A request whose body is of this type is not checked against the description's body."""

UNDESCRIBED_ERRORS = frozenset({304, 400, 401, 403, 404, 409, 410, 415, 422, 429, 500, 502, 503})
"""GitHub answers any call with these; its description lists only some of them for each path."""

MAX_VIOLATION_CHARS = 300

_GITHUB_MEDIA_TYPES: dict[str, DeserializerCallable] = {
    "application/vnd.github.object": lambda value, **_: json.loads(value),
    "application/vnd.github.sha": lambda value, **_: bytes(value).decode(),
}


class _CachingValidatorsFactory(SchemaValidatorsFactory):
    """Builds each schema's validator once; openapi-core would copy its format checker each time."""

    def __init__(self, base: SchemaValidatorsFactory) -> None:
        super().__init__(base.schema_validator_cls, base.format_checker)
        self._built: dict[SchemaPath, SchemaValidator] = {}

    def create(
        self,
        spec: SchemaPath,
        schema: SchemaPath,
        format_validators: FormatValidatorsDict | None = None,
        extra_format_validators: FormatValidatorsDict | None = None,
        forbid_unspecified_additional_properties: bool = False,
        enforce_properties_required: bool = False,
    ) -> SchemaValidator:
        validator = self._built.get(schema)
        if validator is None:
            validator = super().create(spec, schema)
            self._built[schema] = validator
        return validator


class _TemplateFinder(BasePathFinder):
    """Finds an operation by its literal path template, as the routing table names it."""

    @functools.cached_property
    def _operations(self) -> dict[tuple[str, str], PathOperationServer]:
        found = {}
        for template, item in (self.spec / "paths").str_items():
            for method in ("get", "post", "put", "patch", "delete"):
                if method in item:
                    found[method, template] = PathOperationServer(
                        item, item / method, None, TemplateResult(template, {}), None
                    )
        return found

    def find(self, method: str, name: str) -> PathOperationServer:
        try:
            return self._operations[method, name]
        except KeyError:
            raise PathNotFound(name) from None


@dataclass
class CheckedRequest:
    """One request as openapi-core wants to see it; `path` is the template, not the real path."""

    method: str
    path: str
    parameters: RequestParameters
    body: bytes | None
    content_type: str = "application/json"
    host_url: str = ""


@dataclass(frozen=True)
class CheckedAnswer:
    """One answer as openapi-core wants to see it."""

    status_code: int
    content_type: str
    data: bytes | None
    headers: Mapping[str, Any] = field(default_factory=dict)


class Contract:
    """GitHub's description, loaded once a process (see `github_contract`)."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        spec = SchemaPath.from_dict(dict(description))
        self._requests = V30RequestValidator(
            spec,
            path_finder_cls=_TemplateFinder,
            schema_validators_factory=_CachingValidatorsFactory(
                oas30_write_schema_validators_factory
            ),
        )
        self._answers = V30ResponseValidator(
            spec,
            extra_media_type_deserializers=_GITHUB_MEDIA_TYPES,
            path_finder_cls=_TemplateFinder,
            schema_validators_factory=_CachingValidatorsFactory(
                oas30_read_schema_validators_factory
            ),
        )
        self._statuses: dict[tuple[str, str], frozenset[int]] = {
            (method.upper(), template): frozenset(int(code) for code in operation["responses"])
            for template, item in description["paths"].items()
            for method, operation in item.items()
            if method in ("get", "post", "put", "patch", "delete")
        }

    def describes(self, method: str, template: str) -> bool:
        """Is this operation in the description at all?"""
        return (method, template) in self._statuses

    def request_violations(
        self,
        method: str,
        template: str,
        path_parameters: Mapping[str, str],
        query: Sequence[tuple[str, str]],
        body: bytes,
    ) -> list[str]:
        """What in this request GitHub's description does not allow, one line each."""
        template = SAME_OPERATION.get(template, template)
        if not self.describes(method, template):
            return []
        wider = BODIES_WIDER_THAN_THE_SUBSET.get((method, template))
        if wider is not None and _json_type(body) is wider:
            return []
        request = CheckedRequest(
            method=method.lower(),
            path=template,
            parameters=RequestParameters(
                query=ImmutableMultiDict(query),
                header=Headers(),
                path={"path": "", **path_parameters},
            ),
            body=body or None,
        )
        return [
            _one_line(f"request {method} {template}", error)
            for error in self._requests.iter_errors(request)
        ]

    def answer_violations(
        self,
        method: str,
        template: str,
        status: int,
        content_type: str,
        headers: Mapping[str, str],
        body: bytes,
    ) -> list[str]:
        """What in this answer GitHub's description does not allow, one line each."""
        template = SAME_OPERATION.get(template, template)
        statuses = self._statuses.get((method, template))
        if statuses is None:
            return []
        where = f"answer {status} to {method} {template}"
        if status not in statuses:
            if status not in UNDESCRIBED_ERRORS:
                return [f"{where}: the description has no such status"]
            return [] if status == 304 or _is_basic_error(body) else [f"{where}: no message"]
        if "raw" in content_type or not body:
            # The description has no raw media type; an empty body has nothing to check.
            return []
        request = CheckedRequest(method.lower(), template, RequestParameters(), None)
        answer = CheckedAnswer(status, content_type, body, dict(headers))
        return [_one_line(where, error) for error in self._answers.iter_errors(request, answer)]


@functools.cache
def github_contract() -> Contract:
    """The one contract of this process: loading it again would cost each server its start."""
    return Contract(as_meant(json.loads(DESCRIPTION_FILE.read_bytes())))


def as_meant(part: Any) -> Any:
    """The description with three of its habits turned into what OpenAPI 3.0 understands.

    `nullable` beside an `enum` or alternatives is meant to allow null, but 3.0 then wants null
    among them. `oneOf` is written where alternatives overlap (two shapes of an error), so it is
    read as `anyOf`. A discriminator is given for a list, which has no property to tell by.
    """
    if isinstance(part, list):
        return [as_meant(item) for item in part]
    if not isinstance(part, dict):
        return part
    meant = {name: as_meant(value) for name, value in part.items() if name != "discriminator"}
    if isinstance(meant.get("oneOf"), list):
        meant["anyOf"] = meant.pop("oneOf")
    if meant.get("nullable") is True:
        if isinstance(meant.get("enum"), list) and None not in meant["enum"]:
            meant["enum"] = [*meant["enum"], None]
        if isinstance(meant.get("anyOf"), list) and "type" not in meant:
            null = {"type": "string", "nullable": True, "enum": [None]}
            meant["anyOf"] = [*meant["anyOf"], null]
    return meant


def _json_type(body: bytes) -> type | None:
    try:
        return type(json.loads(body)) if body else None
    except ValueError:
        return None


def _is_basic_error(body: bytes) -> bool:
    try:
        parsed = json.loads(body)
    except ValueError:
        return False
    return isinstance(parsed, dict) and isinstance(parsed.get("message"), str)


def _one_line(where: str, error: BaseException) -> str:
    details = "; ".join(_details(error)) or f"{type(error).__name__}: {error}"
    return f"{where}: {' '.join(details.split())}"[:MAX_VIOLATION_CHARS]


def _details(error: BaseException) -> Iterator[str]:
    """The innermost causes: JSON Schema's own messages with the place they speak of."""
    name = getattr(error, "name", None)
    prefix = f"parameter {name}: " if isinstance(name, str) else ""
    schema_errors = getattr(error, "schema_errors", None)
    if schema_errors is not None:
        for schema_error in schema_errors:
            place = "/".join(str(part) for part in schema_error.absolute_path) or "(top)"
            yield f"{place}: {schema_error.message[:200]}"
    elif error.__cause__ is not None:
        for detail in _details(error.__cause__):
            yield prefix + detail
    else:
        yield f"{prefix}{type(error).__name__}: {error}"
