import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.policy.changed_files import ChangedFiles, parse_changed_files


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        (b"", set()),
        (b"\n\r\n", set()),
        (b"a.py\nb/c d.py\n", {"a.py", "b/c d.py"}),
        (b"a.py\r\nb.py", {"a.py", "b.py"}),
        (b"\xef\xbb\xbfa.py\n", {"a.py"}),
        (b"./a.py\n", {"a.py"}),
        (b'"a\\303\\244 \\"q\\".py"\n', {'a\u00e4 "q".py'}),
        (b'"tab\\tnew\\nline.py"\n', {"tab\tnew\nline.py"}),
        (b"M\ta.py\nR100\told.py\tnew.py\nD\tgone.py\n", {"a.py", "old.py", "new.py", "gone.py"}),
        (b"a.py\0b\nc.py\0", {"a.py", "b\nc.py"}),
        (b"M\n", {"M"}),
        (b"M\0", {"M"}),
        (b"M\0M\0M\0a.py\0", {"M", "a.py"}),
        (b"M\0a.py\0M\0b.py\0D\0c.py\0", {"a.py", "b.py", "c.py"}),
        (b"M\0a.py\0b.py\0", {"M", "a.py", "b.py"}),  # names alone, one of them "M"
        (b"a.py\0b.py\0\n", {"a.py", "b.py"}),
        (b"a.py\0b.py", {"a.py", "b.py"}),
        (b'"plain.py"\n', {"plain.py", '"plain.py"'}),  # git would not have quoted it
        (b'M\t"a\\303\\244.py"\r\nC075\t"\\"a"\tb c.py', {"a\u00e4.py", '"a', "b c.py"}),
        (b" a.py \n", {" a.py "}),
        (b"[id]/page.tsx\n{a}.py\n", {"[id]/page.tsx", "{a}.py"}),
        (b"AM radio.md\n", {"AM radio.md"}),
        (b"././a.py\n.//b.py\n.github/c\n", {"a.py", "b.py", ".github/c"}),
    ],
)
def test_every_form_gives_the_paths(data: bytes, paths: set[str]) -> None:
    assert parse_changed_files(data) == ChangedFiles(frozenset(paths), complete=True)


def test_a_rename_in_nul_separated_status_output_gives_both_names() -> None:
    found = parse_changed_files(b"R087\0old name.py\0new\nname.py\0M\0other.py\0")
    assert {"old name.py", "new\nname.py", "other.py"} <= found.paths


def test_a_file_called_like_a_status_hides_no_path() -> None:
    for data in (b"M\0M\0A\0b.py\0", b"M\0b.py\0", b"R100\0M\0b.py\0"):
        assert "b.py" in parse_changed_files(data).paths


def test_a_plain_list_that_looks_like_status_output_loses_no_name() -> None:
    assert parse_changed_files(b"M\0b.py\0").paths == {"M", "b.py"}
    assert parse_changed_files(b"A\0M\0").paths == {"A", "M"}


@pytest.mark.parametrize(
    "data",
    [
        b"R100\0only-one-name\0",
        b"M\0a.py\0R100\0old.py\0",
        b"M\0a.py\0A\0",
        b"R100\told.py\n",
        b"M\ta\tb\n",
        b"M\t\n",
        b"M\ta.py\nR100\n",
        b"modified\ta.py\n",
        b"a.py\0\0b.py\0",
        b'"a.py\n',
        b'"a\\q.py"\n',
        b'"a\\777.py"\n',
    ],
)
def test_a_record_that_may_have_lost_a_name_is_bad_input(data: bytes) -> None:
    with pytest.raises(BadInput, match="git diff --name-status -z"):
        parse_changed_files(data)


@pytest.mark.parametrize(
    "data",
    [
        "a.py\n".encode("utf-16"),
        b"\xfe\xff\0a",
        b"a.py\rb.py\r",
        b'["a.py", "b.py"]',
        b'[{"filename": "a.py"}]\n',
        b'{"files": []}',
        b"diff --git a/a.py b/a.py\nindex 1..2\n",
        b" M a.py\n?? b.py\n",
        b"M       a.py\nR100    b.py c.py\n",
    ],
)
def test_other_output_than_a_list_of_paths_is_bad_input(data: bytes) -> None:
    with pytest.raises(BadInput):
        parse_changed_files(data)


def test_a_list_as_long_as_github_ever_gives_is_not_complete() -> None:
    lines = [f"{n}.py".encode() for n in range(3_000)]
    assert not parse_changed_files(b"\n".join(lines)).complete
    assert not parse_changed_files(b"\0".join(lines)).complete
    assert parse_changed_files(b"\n".join(lines[1:])).complete
    assert parse_changed_files(b"\n".join(b"M\t" + line for line in lines)).complete


names = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12
).filter(lambda name: not name.startswith("./") and name.strip("\r\n") and "\ufeff" not in name)


@given(st.lists(st.tuples(st.sampled_from(["M", "A", "D", "R100", "C075"]), names, names)))
def test_no_name_of_git_s_own_output_is_ever_lost(changes: list[tuple[str, str, str]]) -> None:
    fields: list[str] = []
    expected: set[str] = set()
    for status, first, second in changes:
        mentioned = [first, second] if status[0] in "RC" else [first]
        fields += [status, *mentioned]
        expected |= set(mentioned)
    data = "".join(field + "\0" for field in fields).encode()
    assert expected <= parse_changed_files(data).paths


@given(st.lists(names | st.sampled_from(["M", "A", "R1", "a.py"]), unique=True))
def test_no_name_of_a_plain_list_is_ever_lost(paths: list[str]) -> None:
    try:
        found = parse_changed_files("".join(f"{path}\0" for path in paths).encode())
    except BadInput:
        return
    assert set(paths) <= found.paths


@pytest.mark.parametrize("data", [b"caf\xe9.py\n", b"caf\xe9.py\0", b'"caf\\351.py"\n'])
def test_a_name_that_is_no_utf_8_still_compares(data: bytes) -> None:
    assert parse_changed_files(data).paths == {"caf\udce9.py"}


def test_a_long_list_with_the_statuses_of_git_is_complete() -> None:
    data = b"".join(b"M\0%d.py\0" % n for n in range(4_000))
    found = parse_changed_files(data)
    assert (found.complete, len(found.paths)) == (True, 4_000)
