"""Contradictions: what two texts about one fact cannot both say, and what is none."""

import unicodedata

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.calendar_names import MONTHS, WEEKDAYS, find_weekdays
from bot.evaluation.contradictions import contradiction
from bot.evaluation.dates import take_dates
from bot.evaluation.text import normalise, read_text

ALPHABETIC = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr", "uk", "ar", "hi")
LANGUAGES = (*ALPHABETIC, "vi", "ja", "zh", "ko")

CONTRADICTIONS = """
weekday: monday against tuesday | User deploys on Monday | User deploys on Tuesday mornings
weekday: monday against friday | Stand-ups are on Mondays | Stand-ups are on Fridays
weekday: monday against tuesday | Er kommt montags | Er kommt dienstags
weekday: tuesday against wednesday | Reunião às terças-feiras | Reunião às quartas-feiras
weekday: monday against tuesday | 毎週月曜日に走る | 毎週火曜日に走る
weekday: monday against tuesday | 每周一开会 | 每周二开会
weekday: monday against tuesday | 월요일에 회의 | 화요일에 회의
weekday: monday against tuesday | اجتماع يوم الإثنين | اجتماع يوم الثلاثاء
weekday: monday against sunday | họp vào thứ hai | họp vào chủ nhật
weekday: thursday against friday | Кожного четверга | Кожну пʼятницю
date: 5 september 2026 against 6 september 2026 | on 5 September 2026 | on 6 September 2026
date: 5 september against september 6th, 2026 | on 5 September | on September 6th, 2026
date: 2026-09-05 against 2026-09-06 | due 2026-09-05 | due 2026-09-06
date: 2026-09 against 2026-10 | since 2026-09 | since 2026-10
date: 1/9/26 against 2/9/26 | due 1/9/26 | due 2/9/26
number: 45 against 46 | code 2026-13-45 | code 2026-13-46
date: 5/9/2026 against 9/5/2026 | due 5/9/2026 | due 9/5/2026
date: 5/9/2026 against 6 september 2026 | due 5/9/2026 | due 6 September 2026
date: 2026年9月5日 against 2026年9月6日 | 締切は2026年9月5日 | 締切は2026年9月6日
date: 9月5日 against 六月五日 | 截止9月5日 | 截止六月五日
date: may against june | The contract ends in May | The contract ends in June
date: january against march | Moves in January | Moves in March
date: 2019 against 2020 | User moved in 2019 | User moved in 2020
date: 5 de mayo against 6 de mayo | El 5 de mayo | El 6 de mayo
date: tháng 9 against tháng 8 | vào tháng 9 | vào tháng 8
date: 5 вересня against 6 вересня | до 5 вересня | до 6 вересня
time: 9:30 against 10:30 | at 9:30 | at 10:30
time: 9:30 against 21:30 | at 9:30 | at 21:30
time: 3 pm against 3 am | at 3 pm | at 3 am
time: 15 uhr against 16:00 | um 15 Uhr | um 16:00
time: 午後3時 against 4時 | 午後3時に | 4時に
time: noon against 14:00 | lunch at noon | lunch at 14:00
number: 2 against 3 | has 2 dogs | has 3 dogs
number: two against 3 | has two dogs | has 3 dogs
number: one against two | has one dog | has two dogs
number: 2 against 3 | uses v2 | uses v3
number: -5 against 5 | at -5 degrees | at 5 degrees
number: 3.10 against 3.11 | Python 3.10 | Python 3.11
number: 3.10 against 3.1 | Python 3.10 | Python 3.1
number: 10000 against 1000 | 10,000 steps | 1,000 steps
number: 2.5 against 3.5 | 2,5 Liter | 3,5 Liter
number: 3 against 4 | rooms 1,2,3 | rooms 1,2,4
number: 0.5 against 0.7 | dose .5 mg | dose .7 mg
number: 1.2.3 against 1.2.4 | version 1.2.3 | version 1.2.4
number: twenty five against 26 | twenty-five people | 26 people
number: 3 against 4 | لديه ٣ قطط | لديه ٤ قطط
number: 1 against 2 | lives on the 1st floor | lives on the 2nd floor
negation: never against no negation | Never use tabs in this repository | Use tabs
negation: doesnt against no negation | User doesn’t eat meat | User eats meat
negation: no against no negation | User no longer smokes | User smokes
negation: without against no negation | Coffee without milk | Coffee with milk
negation: nicht against no negation | Er trinkt nicht | Er trinkt
negation: pas against no negation | Il n'aime pas le café | Il aime le café
negation: n'aime plus against no negation | Elle n'aime plus le thé | Elle aime le thé
negation: ne fume plus against no negation | Il ne fume plus | Il fume
negation: no against no negation | No le gusta el café | Le gusta el café
negation: não against no negation | Não gosta de café | Gosta de café
negation: niet against no negation | Hij rookt niet | Hij rookt
negation: inte against no negation | Hon röker inte | Hon röker
negation: nie against no negation | Nie pije kawy | Pije kawę
negation: не against no negation | Він не п'є каву | Він п'є каву
negation: istemiyor against no negation | Kullanıcı çay istemiyor | Kullanıcı çay istiyor
negation: không against no negation | không uống cà phê | uống cà phê
negation: ない against no negation | 肉を食べない | 肉を食べる
negation: ません against no negation | 肉を食べません | 肉を食べます
negation: 不 against no negation | 用户不喜欢咖啡 | 用户喜欢咖啡
negation: 않 against no negation | 커피를 마시지 않는다 | 커피를 마신다
negation: لا against no negation | المستخدم لا يشرب القهوة | المستخدم يشرب القهوة
negation: नहीं against no negation | वह चाय नहीं पीता | वह चाय पीता है
"""

NO_CONTRADICTIONS = """
User deploys on Monday | User deploys on Monday mornings
User deploys on Monday | User deploys
Open on Monday and Tuesday | Open on Tuesday
on 5 September 2026 | on September 5th, 2026
on 5 September 2026 | on the 5th of September, 2026
on 5 September 2026 | on 2026-09-05
on 5 September 2026 | on 5 Sep
on 5 September 2026 | in September 2026
on 5 September 2026 | in 2026
on 5 September 2026 | am 5. September 2026
on 5 September 2026 | 5/9/2026
on 5 September 2026 | 2026年9月5日
on 5 September 2026 | 九月五日
on 5 September 2026 | el 5 de septiembre de 2026
on 5 September 2026 | ngày 5 tháng 9 năm 2026
on 5 September 2026 | ٥ سبتمبر ٢٠٢٦
on 25/9/2026 | on 9/25/2026
User may use tabs | User uses tabs since June
They march on in June | They walk on in June
at 3 pm | at 15:00
at 3 p.m. | à 15h
at 3 pm | 午後3時
at 3 pm | at 3 o'clock
at 3 | at 3 pm with 5 people
at 9:30 | at 9:30 pm
at 9:30 | at 9.30 with 2 people
at noon | at 12:00
has 2 dogs | has two dogs
pays on the 5th | pays on 5 September in 3 parts
1.234,5 Euro | 1,234.5 euros
dose .5 mg | dose 0.5 mg twice
has 2 dogs | has dogs
has 2 dogs and 3 cats | has 3 cats
10,000 steps | 10000 steps
10k steps | 10,000 steps
10.000 Schritte | 10,000 steps
2 million users | 2,000,000 users
two hundred and fifty users | 250 users
twenty-five people | 25 people
Vue 2.0 | Vue 2
2,5 litres | 2.5 litres
on the 1st floor | on floor 1
٣ قطط | 3 قطط
no one of the 3 knows | nobody of the 3 knows
born in 1985 | born on 5 May 1985, third of 3 children
paid 2000 euros | paid 2000 euros on 5 May 2026
runs k8s with 2 replicas | runs 2 replicas
Never use tabs | Do not use tabs
likes not only tea but coffee | likes tea and coffee
no more than 5 files | at most 5 files
lives at No. 5 | lives at number 5
User doesn't like meetings | User dislikes meetings
User does not go when it rains | User goes unless it rains
drinks non-alcoholic beer | drinks alcohol-free beer
Ela trabalha no Porto em uma startup | Ela trabalha em uma startup
User needs plus sizes | User takes plus sizes
Hij is pas begonnen met het werk | Hij is begonnen met het werk
Hon tar med sin hund på bussen | Hon tar med hunden på bussen
少なくない | 多くない
肉を食べなければならない | 肉を食べる必要がある
雨かもしれない | 雨だろう
必ず飲む | いつも飲む
天气不错 | 天气很好
커피뿐만 아니라 차도 | 커피와 차도
每周一次 | 每周两次
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("reason", "a", "b"), rows(CONTRADICTIONS))
def test_another_weekday_date_time_number_or_a_negation_contradicts(
    reason: str, a: str, b: str
) -> None:
    assert contradiction(a, b) == reason
    kind, values = reason.split(": ")
    assert contradiction(b, a) == f"{kind}: {' against '.join(values.split(' against ')[::-1])}"


@pytest.mark.parametrize(("a", "b"), rows(NO_CONTRADICTIONS))
def test_saying_more_or_less_or_the_same_in_another_way_does_not_contradict(a: str, b: str) -> None:
    assert contradiction(a, b) is None
    assert contradiction(b, a) is None


def test_a_number_too_long_to_mean_anything_is_compared_as_it_is_written() -> None:
    long = "1." + "3" * 60
    assert contradiction(f"code {long}", f"code {long}4") == f"number: {long} against {long}4"
    assert contradiction(f"code {long}", f"code {long} it is") is None


def test_a_text_full_of_dates_is_compared_by_its_numbers_only() -> None:
    many = " ".join(f"2026-09-{day:02} 2027-09-{day:02}" for day in range(1, 30))
    assert contradiction(f"{many} and more", "on 2028-01-01") is None


@given(st.text(max_size=30))
def test_texts_that_are_equal_after_normalisation_never_contradict(text: str) -> None:
    assert contradiction(text, f"({normalise(text)})") is None


PHRASES = st.lists(
    st.sampled_from(
        "never not only no . 5 6 may may September 2026 2026-09-05 5/9/2026 9:30 pm at on "
        "Monday 月曜日 9月5日 ない 不 two hundred and one of -5 10,000 1.5k plus ne 14 Uhr".split()
    ),
    max_size=8,
).map(" ".join)


@given(PHRASES, PHRASES)
def test_which_text_comes_first_does_not_matter(a: str, b: str) -> None:
    assert (contradiction(a, b) is None) == (contradiction(b, a) is None)


@given(PHRASES)
def test_no_text_contradicts_itself_with_another_word_added(text: str) -> None:
    assert contradiction(text, f"{text} xyz") is None


def wide_names(language: str, kind: str) -> list[tuple[int, str]]:
    """CLDR's names of days (0 is Monday) or months (1 is January), in both of its contexts."""
    names = getattr(Locale(language), kind)
    return [
        (index, name)
        for context in ("format", "stand-alone")
        for index, name in names[context]["wide"].items()
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_weekdays_are_those_of_cldr(language: str) -> None:
    for day, name in wide_names(language, "days"):
        text = read_text(name)
        assert find_weekdays(text.folded.replace("'", ""), text.words) == {day}, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_months_are_those_of_cldr_beside_a_year(language: str) -> None:
    for month, name in wide_names(language, "months"):
        written = f"2026年{name}" if language in ("ja", "zh") else f"{name} 2026"
        text = read_text(f"2026년 {name}" if language == "ko" else written)
        dates, _ = take_dates(text.folded, text.words)
        if language == "vi":  # a Vietnamese year has its own word
            assert [date.month for date in dates] == [month], name
        else:
            assert [(date.year, date.month) for date in dates] == [(2026, month)], name


def beginning(name: str, length: int) -> str:
    """The first letters without accents, and without the article of the Arabic names."""
    letters = unicodedata.normalize("NFD", normalise(name))
    return "".join(c for c in letters if not unicodedata.combining(c)).removeprefix("ال")[:length]


def test_every_name_in_the_table_begins_like_one_of_cldr() -> None:
    """The table adds case endings, plurals and spellings without accents, but no other names."""
    days = {(d, beginning(n, 3)) for x in ALPHABETIC for d, n in wide_names(x, "days")}
    months = {(m, beginning(n, 2)) for x in ALPHABETIC for m, n in wide_names(x, "months")}
    regional = ("sonnabend", "बृहस्पतिवार", "इतवार")
    assert [
        name
        for name, day in WEEKDAYS.items()
        if (day, beginning(name, 3)) not in days and not name.startswith(regional)
    ] == []
    assert [
        name for name, month in MONTHS.items() if (month, beginning(name, 2)) not in months
    ] == []
