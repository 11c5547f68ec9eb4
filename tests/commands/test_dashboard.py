"""`dashboard build`: the files that come out, and what it does with bad ones."""

import base64
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

import pytest

from bot.dashboard import uplot
from tests.commands.conftest import Bot, load
from tests.support.github_place import ROOT
from tests.support.histories import published_text, varied_runs

DATA = Path("web_data/extraction-quality-benchmark-data.json")
ARCHIVE = Path("web_data/archive/extraction-quality.jsonl")


def publish(count: int, keep: int) -> None:
    """`count` runs in the archive, the newest `keep` in the published file."""
    runs = list(varied_runs(count))
    ARCHIVE.parent.mkdir(parents=True)
    DATA.write_text(published_text(runs[-keep:]), encoding="utf-8")
    lines = [json.dumps(run.model_dump(mode="json")) for run in runs]
    ARCHIVE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_the_published_runs_are_read_and_more_when_asked(place: Path, bot: Bot) -> None:
    publish(130, 50)
    assert bot("dashboard", "build", "--out", "site").code == 0
    assert len(load(Path("site/data/extraction_quality.json"))["runs"]["sha"]) == 50
    assert bot("dashboard", "build", "--out", "site", "--archive").code == 0
    assert len(load(Path("site/data/extraction_quality.json"))["runs"]["sha"]) == 130
    assert len(load(Path("site/data/extraction_quality-runs-1.json"))) == 30


def test_a_damaged_line_of_the_archive_is_named_and_skipped(place: Path, bot: Bot) -> None:
    publish(3, 1)
    ARCHIVE.write_text("{\n" + ARCHIVE.read_text())
    done = bot("dashboard", "build", "--out", "site", "--archive")
    assert done.code == 0
    assert f"{ARCHIVE}:1: " in done.err
    assert "3 runs of extraction_quality" in done.out


def test_a_report_gives_its_run_the_cases(place: Path, bot: Bot) -> None:
    words = ["run", "--gold-set", "gold", "--provider", "keyword", "--data", str(DATA)]
    bot(*words)
    report = load(Path("out/latest.json"))
    assert bot("dashboard", "build", "--out", "site", "--report", "out/latest.json").code == 0
    (detail,) = load(Path("site/data/extraction_quality-runs-0.json"))
    assert len(detail["cases"]) == len(report["cases"]) > 0
    assert bot("dashboard", "build", "--out", "site").code == 0
    assert load(Path("site/data/extraction_quality-runs-0.json"))[0]["cases"] is None


def test_a_folder_of_other_files_is_left_alone(place: Path, bot: Bot) -> None:
    Path("site").mkdir()
    Path("site/mine.txt").write_text("mine")
    done = bot("dashboard", "build", "--out", "site")
    assert done.code == 2
    assert "no dashboard of ours" in done.err
    assert sorted(Path("site").iterdir()) == [Path("site/mine.txt")]


def test_a_broken_history_is_bad_input_and_nothing_is_written(place: Path, bot: Bot) -> None:
    DATA.parent.mkdir()
    DATA.write_text("{")
    assert bot("dashboard", "build", "--out", "site").code == 2
    assert not Path("site").exists()


def test_a_port_that_is_taken_is_bad_input(place: Path, bot: Bot) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = bot("dashboard", "serve", "--port", str(taken.getsockname()[1]))
    assert done.code == 2
    assert "cannot listen" in done.err


def test_ctrl_c_ends_serving_and_is_no_error(place: Path) -> None:
    words = [sys.executable, "-m", "bot", "dashboard", "serve", "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=place, env=env, stderr=pipe, stdout=pipe, text=True) as run:
        assert run.stderr is not None
        while "Ctrl-C ends it" not in (line := run.stderr.readline()):
            assert line, "it ended before it served"
        with urllib.request.urlopen(line.split()[0], timeout=10) as answer:
            assert "No run has been published yet" in answer.read().decode()
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=20) == 0
        assert "error" not in run.stderr.read()


def package(names: list[str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 1
            tar.addfile(info, io.BytesIO(b"x"))
    return buffer.getvalue()


def test_a_library_that_is_not_the_one_looked_at_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uplot, "fetch", lambda _: package(list(uplot.FILES)))
    monkeypatch.setattr("shutil.which", lambda _: "/bin/npm")
    files, why = uplot.find_uplot(tmp_path / "uplot")
    assert files == {}
    assert "could not fetch uplot" in why
    assert not (tmp_path / "uplot").exists()


def test_a_library_of_the_right_hash_is_kept_for_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = package(list(uplot.FILES))
    expected = base64.b64encode(hashlib.sha512(data).digest()).decode()
    monkeypatch.setattr(uplot, "INTEGRITY", expected)
    monkeypatch.setattr(uplot, "fetch", lambda _: data)
    monkeypatch.setattr("shutil.which", lambda _: "/bin/npm")
    files, why = uplot.find_uplot(tmp_path / "uplot")
    assert (why, set(files)) == ("", set(uplot.FILES.values()))
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert uplot.find_uplot(tmp_path / "uplot") == (files, "")


def test_without_npm_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert uplot.find_uplot(tmp_path / "uplot") == ({}, "npm is not installed")
