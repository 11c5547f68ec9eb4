"""Names of weekdays and months in fifteen languages, as they stand in running text.

Source: Unicode CLDR, wide names (the tests compare the table with Babel's copy of it), and beside
them the case endings and plurals of running text. Each line holds the names in order, Monday
first or January first; `|` parts the forms of one name. Japanese, Chinese, Korean and Vietnamese
write months as numbers: `bot.evaluation.quantities` reads those.
"""

import re
import unicodedata
from typing import Final

from bot.evaluation.text import word_set

_WEEKDAYS: Final = """
en monday tuesday|tues|tue wednesday thursday|thurs|thur|thu friday|fri saturday sunday
de montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag
fr lundi mardi mercredi jeudi vendredi samedi dimanche
es lunes martes miércoles jueves viernes sábado domingo
it lunedì martedì mercoledì giovedì venerdì sabato|sabati domenica|domeniche
nl maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
sv måndag tisdag onsdag torsdag fredag lördag söndag
tr pazartesi salı çarşamba perşembe cuma cumartesi pazar
hi सोमवार मंगलवार बुधवार गुरुवार|बृहस्पतिवार शुक्रवार शनिवार रविवार|इतवार
pl poniedziałek|poniedziałku wtorek|wtorku środa|środę|środy czwartek|czwartku piątek|piątku \
 sobota|sobotę|soboty niedziela|niedzielę|niedziele
pl poniedziałki|poniedziałkami wtorki|wtorkami środom|środami czwartki|czwartkami \
 piątki|piątkami sobotami|sobotom niedzielami|niedzieli
uk понеділок|понеділка вівторок|вівторка середа|середу|середи четвер|четверга \
 пятниця|пятницю|пятниці субота|суботу|суботи неділя|неділю|неділі
uk понеділках вівторках середах четвергах пятницях суботах неділях
ar الاثنين|الإثنين الثلاثاء الأربعاء|الاربعاء الخميس الجمعة السبت الأحد|الاحد
"""
# endings that make a plural or an adverb of a weekday: mondays, montags, lundis, maandagen …
_WEEKDAY_ENDINGS: Final = {
    "en": ("s",),
    "de": ("s", "e", "en"),
    "fr": ("s",),
    "es": ("s",),
    "nl": ("en", "s"),
    "sv": ("en", "ar", "arna"),
    "tr": ("leri", "ları"),
}
# Names that are not one word between spaces. 周一 must not be found in 每周一次, once a week, and
# "terça" needs its "feira", since alone it is also a third.
_INSIDE_WORDS: Final = tuple(
    (re.compile(pattern), order)
    for pattern, order in (
        (r"([月火水木金土日])曜", "月火水木金土日"),
        (r"(?:星期|礼拜|禮拜|[周週])([一二三四五六日天])(?![次回遍个個])", "一二三四五六日"),
        (r"([월화수목금토일])요일", "월화수목금토일"),
    )
)
_PHRASE: Final = re.compile(
    r"\b(?:(segunda|ter[çc]a|quarta|quinta|sexta)s?[\s-]feiras?"
    r"|(thứ\s(?:hai|ba|tư|năm|sáu|bảy|[2-7])|chủ\snhật))\b"
)
_PHRASES: Final = {
    name: index
    for index, names in enumerate(
        (
            "segunda|thứ hai|thứ 2",
            "terça|terca|thứ ba|thứ 3",
            "quarta|thứ tư|thứ 4",
            "quinta|thứ năm|thứ 5",
            "sexta|thứ sáu|thứ 6",
            "thứ bảy|thứ 7",
            "chủ nhật",
        )
    )
    for name in names.split("|")
}

_MONTHS: Final = """
en january february march april may june july august september october november december
en jan feb mar apr may jun jul aug sep|sept oct nov dec
de januar|jänner februar märz april mai juni juli august september oktober november dezember
fr janvier février mars avril mai juin juillet août septembre octobre novembre décembre
es enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre \
 diciembre
it gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
pt janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
nl januari februari maart april mei juni juli augustus september oktober november december
sv januari februari mars april maj juni juli augusti september oktober november december
tr ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
pl styczeń|stycznia|styczniu luty|lutego|lutym marzec|marca|marcu kwiecień|kwietnia|kwietniu \
 maj|maja|maju czerwiec|czerwca|czerwcu lipiec|lipca|lipcu sierpień|sierpnia|sierpniu \
 wrzesień|września|wrześniu październik|października|październiku listopad|listopada|listopadzie \
 grudzień|grudnia|grudniu
uk січень|січня|січні лютий|лютого|лютому березень|березня|березні квітень|квітня|квітні \
 травень|травня|травні червень|червня|червні липень|липня|липні серпень|серпня|серпні \
 вересень|вересня|вересні жовтень|жовтня|жовтні листопад|листопада|листопаді \
 грудень|грудня|грудні
ar يناير فبراير مارس أبريل|ابريل مايو يونيو يوليو أغسطس|اغسطس سبتمبر أكتوبر|اكتوبر نوفمبر ديسمبر
hi जनवरी फ़रवरी|फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर \
 दिसंबर|दिसम्बर
"""
# Words with another meaning in one of the languages (you may, they march, Italian mai: never,
# Polish maja: they have, Turkish ocak: stove …) and all short forms: a month only beside a number.
MONTHS_BESIDE_NUMBERS_ONLY: Final = word_set(
    "may march mai mars mayo mart maj maja maju mei marca ocak ekim aralık kasım marcu lutym luty "
    "jan feb mar apr jun jul aug sep sept oct nov dec лютий лютого лютому مارس"
)


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _without_accents(name: str) -> str:
    """miércoles → miercoles, as people type it; Latin letters only."""
    if not "a" <= name[0] <= "\u024f":
        return name
    parts = unicodedata.normalize("NFD", name)
    return "".join(part for part in parts if not unicodedata.combining(part))


def _read_table(table: str) -> list[tuple[str, int, str]]:
    """(language, index from 0, name) for every form in the table."""
    rows = (line.split() for line in table.strip().splitlines())
    return [
        (language, index, _key(form))
        for language, *names in rows
        for index, name in enumerate(names)
        for form in name.split("|")
    ]


def _add(known: dict[str, int], name: str, value: int) -> None:
    """One word is one day or month in every language, or the table is wrong."""
    for spelling in (name, _without_accents(name)):
        if known.setdefault(spelling, value) != value:
            raise ValueError(f"{spelling!r} is {known[spelling]} and {value} in the table of names")


def _weekdays() -> dict[str, int]:
    known: dict[str, int] = {}
    for language, index, name in _read_table(_WEEKDAYS):
        for ending in ("", *_WEEKDAY_ENDINGS.get(language, ())):
            _add(known, name + ending, index)
    return known


def _months() -> dict[str, int]:
    known: dict[str, int] = {}
    for _, index, name in _read_table(_MONTHS):
        _add(known, name, index + 1)
    return known


WEEKDAYS: Final = _weekdays()  # a folded word → 0 (Monday) to 6
MONTHS: Final = _months()  # a folded word → 1 to 12
WEEKDAY_NAMES: Final[tuple[str, ...]] = (
    *("monday", "tuesday", "wednesday", "thursday", "friday"),
    *("saturday", "sunday"),
)


def find_weekdays(folded: str, words: list[str]) -> frozenset[int]:
    """The weekdays (0 is Monday) named in a text, given as folded text and as its words."""
    found = {WEEKDAYS[word] for word in words if word in WEEKDAYS}
    if "feira" in folded or not folded.isascii():
        for pattern, order in _INSIDE_WORDS:
            found |= {order.index(name.replace("天", "日")) for name in pattern.findall(folded)}
        for portuguese, vietnamese in _PHRASE.findall(folded):
            found.add(_PHRASES[portuguese or " ".join(vietnamese.split())])
    return frozenset(found)
