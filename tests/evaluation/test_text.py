"""Normalisation and similarity: what is folded, what must stay different."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.text import normalise, read_text, similarity, text_similarity

# Characters that the folding treats in different ways, so that they meet in one text.
TRICKY = st.text(
    st.sampled_from(
        "aZ09 ,.'’-−:/+#%$<>=_!ßİıſ½²٣٬٫५กานไจがカ日本語한ािंُِ\u200b\u00ad\u00a0\ufe0f😀é´`ŉ"
    ),
    max_size=25,
)
TEXTS = st.one_of(st.text(max_size=40), TRICKY)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("User prefers tea.", "user prefers tea"),
        ("  User\tprefers\n tea!! ", "user prefers tea"),
        ("on-call, in the snake_case (or not)", "on call in the snake case or not"),
        ("I don't", "i dont"),
        ("I don’t", "i dont"),
        ("I don´t", "i dont"),
        ("'quoted' text", "quoted text"),
        ("ＦＵＬＬ　ｗｉｄｔｈ　１２", "full width 12"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("soft\u00adhyphen and zero\u200bwidth", "softhyphen and zerowidth"),
        ("I ❤️ tea", "i ❤ tea"),
        ("v2.1 at 9:30, 2.", "v2.1 at 9:30 2"),
        ("10,000 and 1,234,567.5", "10000 and 1234567.5"),
        ("10'000 and 10\u00a0000 and 1.000.000", "10000 and 10000 and 1000000"),
        ("1,00,000 rupees", "100000 rupees"),
        ("0,125 and 1,2,3", "0,125 and 1,2,3"),
        ("-5 degrees, −5 degrees, 9-5", "-5 degrees -5 degrees 9 5"),
        (".5 litres", ".5 litres"),
        ("٣ قطط", "3 قطط"),
        ("५ दिन", "5 दिन"),
        ("C++ and C# and C", "c++ and c# and c"),
        ("日本 語 が 好き", "日本語が好き"),
        ("Python を 使う", "pythonを使う"),
        ("……!?", ""),
        ("a" * 50 + "-" + "b" * 50, "a" * 50 + " " + "b" * 50),
    ],
)
def test_what_is_folded(text: str, folded: str) -> None:
    assert normalise(text) == folded


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("version 2.1", "version 21"),
        ("version 2.1", "version 2 1"),
        ("at 9:30", "at 930"),
        ("-5 degrees", "5 degrees"),
        (".5 litres", "5 litres"),
        ("10,000 steps", "10,00 steps"),
        ("10.000 steps", "10000 steps"),
        ("1/2 cup", "12 cup"),
        ("18+ only", "18 only"),
        ("under <5 lines", "under >5 lines"),
        ("under < 5 lines", "under > 5 lines"),
        ("50% of it", "50 of it"),
        ("costs $5", "costs €5"),
        ("writes C++", "writes C#"),
        ("writes C++", "writes C"),
        ("5'11 tall", "511 tall"),
        ("≤5 lines", "≥5 lines"),
    ],
)
def test_texts_that_differ_in_a_number_or_its_sign_stay_different(a: str, b: str) -> None:
    assert normalise(a) != normalise(b)
    assert similarity(a, b) < 1.0


@pytest.mark.parametrize(
    "words",
    [
        ["उपयोगकर्ता", "हिंदी", "में", "बात", "करता", "है"],
        ["المُسْتَخْدِمُ", "يُحِبُّ", "القَهْوَةَ"],
        ["người", "dùng", "thích", "cà", "phê"],
        ["naïve", "café"],
    ],
)
def test_combining_marks_do_not_break_words(words: list[str]) -> None:
    # decomposed on purpose: the marks then are characters of their own
    text = unicodedata.normalize("NFD", " ".join(words))
    assert len(read_text(text).words) == len(words)


@pytest.mark.parametrize(
    "text", ["ผู้ใช้ชอบกาแฟ", "ユーザーは猫", "用户住在上海", "ຂ້ອຍມັກ", "ខ្ញុំចូល", "ငါကော်"]
)
def test_in_scripts_without_spaces_every_character_is_a_word(text: str) -> None:
    assert "".join(read_text(text).words) == normalise(text)
    assert len(read_text(text).words) == len(normalise(text)) > 3


def test_one_changed_character_of_a_japanese_text_is_not_another_text() -> None:
    # 13 of 14 characters in order, on both sides: 2 · 13 / 28, for words and characters alike
    gold, predicted = "ユーザーは毎朝コーヒーを飲む", "ユーザーは毎晩コーヒーを飲む"
    assert similarity(gold, predicted) == pytest.approx(13 / 14)


def test_the_order_of_words_matters() -> None:
    assert similarity("prefers tea over coffee", "prefers coffee over tea") < 0.9


def test_a_text_that_contains_another_gets_no_bonus() -> None:
    # words: 2 · 2 / 8; characters: 2 · 8 / 41
    expected = (2 * 2 / 8 + 2 * 8 / 41) / 2
    assert similarity("Never use tabs in this repository", "Use tabs") == pytest.approx(expected)
    assert expected < 0.55


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("User prefers dark mode in all editors", "The user prefers dark mode in every editor"),
        ("User works as a nurse at St. Mary's", "User is a nurse at St Mary's"),
        ("User dislikes long meetings", "User doesn't like long meetings"),
        ("User stores secrets in 1Password", "User keeps secrets in 1Password"),
        ("User's trip budget is 1,500 euros", "The trip budget is 1500 euros"),
        ("ユーザーはダークモードを好む", "ユーザーはダークモードが好きです"),
        ("المستخدم يفضل القهوة على الشاي", "يفضل المستخدم القهوة على الشاي"),
        ("Der Nutzer trinkt morgens Kaffee", "Nutzer trinkt am Morgen Kaffee"),
    ],
)
def test_the_same_in_other_words_is_over_the_threshold(gold: str, predicted: str) -> None:
    assert similarity(gold, predicted) >= 0.55


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("User prefers dark mode in all editors", "User's manager is called Priya"),
        ("User lives in Lisbon", "User runs the tests before every commit"),
        ("ユーザーは猫を二匹飼っている", "来週の会議は大阪で行う"),
        ("المستخدم يفضل القهوة", "الاجتماع في مدينة دبي"),
    ],
)
def test_unrelated_texts_are_under_the_threshold(gold: str, predicted: str) -> None:
    assert similarity(gold, predicted) < 0.55


@given(TEXTS, TEXTS)
def test_similarity_is_a_symmetric_fraction(a: str, b: str) -> None:
    assert 0.0 <= similarity(a, b) == similarity(b, a) <= 1.0


@given(TEXTS, TEXTS)
def test_similarity_is_one_exactly_for_texts_equal_after_normalisation(a: str, b: str) -> None:
    assert (similarity(a, b) == 1.0) == (normalise(a) == normalise(b))
    assert similarity(a, f" {a}\n") == 1.0


@given(TEXTS)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert read_text(once).words == read_text(text).words


NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.integers(1, 10**9).map("{:,}".format),
    st.times().map(lambda t: t.strftime("%H:%M")),
)


@given(NUMBERS, NUMBERS)
def test_texts_with_different_numbers_never_normalise_equal(a: str, b: str) -> None:
    same = a.replace(",", "") == b.replace(",", "")
    assert (normalise(f"it is {a}.") == normalise(f"it is {b}.")) == same


@given(TEXTS, TEXTS, st.floats(0, 1))
def test_a_cutoff_changes_no_similarity_over_it(a: str, b: str, at_least: float) -> None:
    exact = similarity(a, b)
    quick = text_similarity(read_text(a), read_text(b), at_least)
    assert quick == exact if exact >= at_least else quick <= exact
