"""`validate`: is this one of the project's files, and does all of it hold?"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from bot.candidates.record import BATCH_KEYS
from bot.candidates.store import load_candidate
from bot.commands.render_comment import load_policy_result
from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.cassettes import load_cassettes, parse_cassettes
from bot.evaluation.gold_set import BASELINE, CASSETTES
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.manifest import check_files, check_ids, load_manifest, parse_manifest
from bot.evaluation.pipeline import load_task_gold_set
from bot.evaluation.report import load_report
from bot.evaluation.scores import metric_fault
from bot.files import read_bytes, read_json
from bot.gate.baseline import load_baseline
from bot.gate.baseline_cases import FOLDER, load_cases
from bot.gate.result_file import load_gate_result
from bot.history.file import ArchiveFault, parse_history, read_archive
from bot.settings import load_settings
from bot.suites import EXTRACTION_QUALITY, SUITES, Suite


def _suite_of(directory: Path) -> Suite:
    """The suite whose expected file lies in `directory`; the first one when none does."""
    suites = [s for s in SUITES.values() if (directory / s.load_task().expected_file).exists()]
    return suites[0] if suites else EXTRACTION_QUALITY


def describe_gold_set(directory: Path) -> str:
    """A gold set in words; raises BadInput when a file of it, or a hash, does not hold."""
    task = _suite_of(directory).load_task()
    gold_set = load_task_gold_set(directory, task)
    manifest = load_manifest(directory)
    rows, data = load_cassettes(directory)
    check_ids(gold_set, rows, manifest)
    check_files(gold_set, data, manifest, task.facts(gold_set.conversations))
    parse_cassettes(rows, directory / CASSETTES, lambda raw: judge_answer(raw, task))
    _baseline(directory / BASELINE)
    return f"gold set {manifest.gold_set}, {len(rows)} conversations, {manifest.cassette_kind}"


def _history(path: Path) -> str:
    data = read_bytes(path)
    raw = read_json(path)
    benchmark = raw.get("benchmark")
    if benchmark not in SUITES:
        raise BadInput(f"unknown benchmark {benchmark!r}", where=path)
    history, version = parse_history(data, str(benchmark), path)
    return f"published history of {benchmark}, version {version}, {len(history.runs)} runs"


def _report(path: Path) -> str:
    report = load_report(path)
    for name, why in report.bad_metrics.items():
        raise BadInput(f"metrics.{name} is {why}", where=path)
    return f"report of {report.provider} on gold set {report.gold_set}"


def _gate_result(path: Path) -> str:
    return f"gate result, {load_gate_result(path).status}"


def _baseline(path: Path) -> str:
    baseline = load_baseline(path)
    for provider, block in baseline.providers.items():
        for name, value in block.metrics.items():
            if value is not None and (why := metric_fault(value)) is not None:
                raise BadInput(f"providers.{provider}.metrics.{name} is {why}", where=path)
    return f"baseline of {len(baseline.providers)} providers"


def _baseline_cases(path: Path) -> str:
    cases = load_cases(path)
    return f"baseline cases of {cases.provider}, {len(cases.counts.rows)} conversations"


def _manifest(path: Path) -> str:
    return f"cassette manifest, {parse_manifest(read_bytes(path), path).cassette_kind}"


def _policy(path: Path) -> str:
    return f"policy result, {load_policy_result(path).status}"


def _archive(path: Path) -> str:
    count = 0
    for line in read_archive(path):
        if isinstance(line, ArchiveFault):
            raise BadInput(line.message, where=f"{path}:{line.line_number}")
        count += 1
    return f"archive of {count} runs"


def _gold_set_part(path: Path) -> str:
    return f"part of the {describe_gold_set(path.parent)}"


def _settings(path: Path) -> str:
    load_settings(path.parent, path.name)
    return "settings"


def _candidate(path: Path) -> str:
    record = load_candidate(path)
    return f"candidate record, a {record.kind} of run {record.extract_run_id}"


_BY_FIELD: Final[Mapping[str, Callable[[Path], str]]] = {
    "runs": _history,
    "summary_lines": _gate_result,
    "checks": _gate_result,
    "providers": _baseline,
    "cassette_kind": _manifest,
    "contract_changes": _policy,
    "claim": _candidate,
    "extract_run_id": _candidate,
    **dict.fromkeys(BATCH_KEYS, _candidate),
}
"""A field that only one kind of file has → its check; a report is told by its `generated_at`."""


def _kind_of(raw: Any, path: Path) -> Callable[[Path], str]:
    if isinstance(raw, dict):
        if "generated_at" in raw:
            return _report
        if "contract_changes" in raw:
            return _policy
        for field, check in _BY_FIELD.items():
            if field in raw:
                return check
    raise BadInput("is none of the project's files", where=path)


def describe_file(path: Path) -> str:
    """What `path` is, in words; raises BadInput when it is none of the project's files."""
    if path.is_dir():
        return describe_gold_set(path)
    if path.suffix == ".toml":
        return _settings(path)
    if path.suffix == ".jsonl" and path.parent.name == FOLDER:
        return _baseline_cases(path)
    if path.suffix == ".jsonl":
        is_part = (path.parent / "cassette_manifest.json").exists()
        return _gold_set_part(path) if is_part else _archive(path)
    return _kind_of(read_json(path, allow_nan=True), path)(path)


def run_validate(path: Path, console: Console) -> int:
    """0 and one line when it holds; raises BadInput when it does not."""
    console.say(f"{path}: valid {describe_file(path)}")
    return 0
