"""`check-oracle-policy`: a pull request's files, its body and the manifest in, a verdict out."""

from dataclasses import dataclass
from pathlib import Path

from bot.commands.set_status import in_repository
from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.manifest import parse_manifest
from bot.files import MAX_JSON_BYTES, read_bytes, to_json, write_atomic
from bot.policy.changed_files import ChangedFiles, parse_changed_files
from bot.policy.oracle import PolicyFacts, PolicyResult, judge_oracle_policy
from bot.policy.workflows import drift_uses


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """The manifest is the pull request's head's; rule and contract paths are the base's."""

    manifest: Path
    changed: ChangedFiles
    body: str
    contract_paths: tuple[str, ...]
    workflows: Path


def read_workflows(folder: Path) -> dict[str, str]:
    """The workflow files below `folder` by path; none when it does not exist."""
    if not folder.is_dir():
        return {}
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".yml", ".yaml"))
    return {str(path): read_bytes(path).decode("utf-8", "replace") for path in paths}


def read_changed_files(path: Path) -> ChangedFiles:
    """The list of changed files at `path`; raises BadInput that names it."""
    try:
        return parse_changed_files(read_bytes(path, MAX_JSON_BYTES))
    except BadInput as error:
        if error.where:
            raise
        raise BadInput(error.what, where=path, next_step=error.next_step) from None


def write_policy_result(out: Path, result: PolicyResult) -> None:
    write_atomic(out, to_json(result.model_dump(mode="json")))


def run_check_oracle_policy(request: PolicyRequest, out: Path | None, console: Console) -> int:
    """0 when the policy holds, 1 when it does not; the result is written to `out`."""
    manifest = parse_manifest(read_bytes(request.manifest), request.manifest)
    facts = PolicyFacts(
        cassette_kind=manifest.cassette_kind,
        changed=request.changed,
        body=request.body,
        contract_paths=request.contract_paths,
        drift_uses=drift_uses(read_workflows(request.workflows)),
        gold_set=in_repository(request.manifest.parent, Path.cwd()),
    )
    result = judge_oracle_policy(facts)
    if out is not None:
        write_policy_result(out, result)
    console.tell("oracle-cassette policy", result.verdict)
    console.set_outputs({"status": result.status})
    return result.verdict.exit_code
