import io
import subprocess
import sys
from pathlib import Path

import pytest

from bot.console import Console
from bot.errors import BadInput, RuleSaysNo, Unreachable, one_line
from bot.files import write_atomic
from bot.verdict import Verdict
from tests.support.github_place import ROOT


def console(**env: str) -> Console:
    return Console(env=env, out=io.StringIO(), err=io.StringIO())


def test_an_error_is_one_line_with_place_and_next_step() -> None:
    error = BadInput("is empty", where="data.json", next_step="restore it")
    assert str(error) == "data.json: is empty — restore it"


def test_untrusted_text_cannot_forge_a_second_line_or_a_workflow_command() -> None:
    listener = console(GITHUB_ACTIONS="true")
    listener.fail(BadInput("'x\n::set-output name=a::b\r\x1b[31m\u202e'"))
    assert isinstance(listener.err, io.StringIO)
    assert isinstance(listener.out, io.StringIO)
    assert listener.err.getvalue().count("\n") == 1
    assert listener.out.getvalue().count("\n") == 1
    assert listener.out.getvalue().startswith("::error::")
    for char in "\r\x1b\u202e":
        assert char not in listener.err.getvalue()


def test_a_percent_sign_is_escaped_in_an_annotation() -> None:
    listener = console(GITHUB_ACTIONS="true")
    listener.warn("100%0A off")
    assert isinstance(listener.out, io.StringIO)
    assert listener.out.getvalue() == "::warning::100%250A off\n"


def test_outside_of_actions_there_is_no_annotation() -> None:
    listener = console()
    listener.error("wrong")
    assert isinstance(listener.out, io.StringIO)
    assert listener.out.getvalue() == ""


def test_each_kind_of_error_has_its_exit_code() -> None:
    assert [kind("x").exit_code for kind in (RuleSaysNo, BadInput, Unreachable)] == [1, 2, 3]
    assert [Verdict(status, ()).exit_code for status in ("pass", "fail")] == [0, 1]


def test_a_long_message_is_cut() -> None:
    assert len(one_line("x" * 10_000, 100)) == 100


def test_a_summary_that_github_would_drop_whole_is_replaced_by_a_note(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    console(GITHUB_STEP_SUMMARY=str(path)).add_summary("é" * 600_000)
    assert path.read_text() == "The summary is too long; see the artifact.\n"


def test_a_summary_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    listener = console(GITHUB_STEP_SUMMARY=str(tmp_path))
    listener.add_summary("text")
    assert isinstance(listener.err, io.StringIO)
    assert "cannot be written" in listener.err.getvalue()


def test_outputs_stay_one_line_each(tmp_path: Path) -> None:
    path = tmp_path / "output"
    console(GITHUB_OUTPUT=str(path)).set_outputs({"a": "x\ny=z", "b": "2"})
    assert path.read_text() == "a=x\\ny=z\nb=2\n"


def test_a_write_keeps_permissions_and_links(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] in (
        ["target.json", "link.json"],
        ["link.json", "target.json"],
    )


def test_a_write_that_fails_leaves_the_old_file_and_no_scraps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BadInput, match="cannot be written: No space left on device"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_that_closes_our_output_is_no_rule_that_says_no() -> None:
    words = f"{sys.executable} -m bot schema | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "141\n"  # as a shell reports SIGPIPE
    assert done.stderr == ""
