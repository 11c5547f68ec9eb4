"""Finds whether a text denies something: never, nicht, ない, لا (CONTRACTS section 3).

A table of words and not a parser. `negation` names the word that makes a text a denial; a text
`softens_negation` when it may say the same without one ("dislikes", "unless", "rather than"), and
then it does not contradict a denial.
"""

import re
from typing import Final

from bot.evaluation.text import word_set

NEGATIONS: Final = word_set("""
not no never none nothing nobody nowhere neither nor cannot without dislike dislikes disliked
dont doesnt didnt isnt arent wasnt werent wont cant shouldnt wouldnt couldnt mustnt neednt
havent hasnt hadnt aint shant
nicht kein keine keinen keinem keiner keines nie niemals nichts niemand weder ohne
pas jamais aucun aucune rien sans non
nunca jamás jamas nadie ningún ningun ninguno ninguna tampoco nada sin
senza nessun nessuno nessuna niente nulla
não nao sem ninguém nenhum nenhuma nem
niet geen nooit niets niemand zonder
nigdy nikt nic bez żaden żadna żadne żadnych
inte aldrig ingen inget inga utan ej
değil yok hiç asla
не ні ніколи ніхто нічого без немає нема жоден жодна жодних
không chưa chẳng đừng
لا ليس ليست لم لن غير بدون دون عدم ولا ولم ولن وليس
नहीं नही बिना मत
""")
SOFT_NEGATIONS: Final = word_set(
    """
    hate hates avoid avoids avoiding refuse refuses stop stops stopped quit unless except instead
    rather lack lacks fail fails unable free zero forbidden prohibited banned non few rarely seldom
    vermeidet évite evita evitar vermijdt undviker unika
    """
)
# A word that is no negation in the language that one of the other words gives away:
# Portuguese "no" is "in the", Swedish "sin" is "one's own", Dutch "pas" is "only just".
_OTHER_LANGUAGE: Final = {
    "no": word_set("não em uma um ao dos das usuário você é são"),
    "sin": word_set("och att är på av för med en ett i"),
    "pas": word_set("het een op van"),
}
NEGATION_CONTEXT: Final = word_set("only just than more less fewer later earlier sooner ne plus")
_COMPARED: Final = word_set("more less fewer later earlier sooner")  # no more than 5

_ARABIC_MARKS: Final = re.compile("[\u0640\u064b-\u065f\u0670]")
_TURKISH: Final = re.compile(
    r"\b(?!namaz\b)\w+(?:m[ıiuü]yor\w*|m[ae]z(?:lar|ler)?|m[ae]d[ıi]\w?)\b"
)
_IS_TURKISH: Final = re.compile("[ığş]")
_FRENCH_NO_MORE: Final = re.compile(r"\b(?:ne\s|n')\w+\splus\b")
_HAS_KANA: Final = re.compile("[\u3041-\u30ff]")
_HAS_HAN: Final = re.compile("[\u3400-\u9fff]")
_HAS_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
# must (not to do is not allowed), may be, few, dangerous, boring, not only, surely, soon
_JAPANESE_NOT_NEGATIVE: Final = re.compile(
    "な(?:ければ|くては|いと)(?:なら|いけ|だめ)(?:ない|ません)?"
    "|かも(?:しれ|知れ)(?:ない|ません)|(?:少|危|切|つまら|もったい)な[いく]"
    "|だけで(?:は)?なく|(?:に違い|間違い)な[いく]|まもなく|[必ま]ず|はず|ずっと|わずか"
)
_JAPANESE: Final = re.compile(
    "ない|ません|なかった|なくて|なく[、。]|なし|無[しい]|せず|(?<=[かがさたなばまらわきけしちにみりえせてねべめれ])ずに"
)
_CHINESE: Final = re.compile(
    "(?<![差得])不(?![同错錯但仅僅光只过過断斷久得论論管少锈鏽])"
    "|[没沒](?!收)|未(?![来來婚])|[无無](?![论論线線限锡錫人])|(?<![特区區类類分级級个個性])别(?![的人墅名])|勿"
)
_KOREAN: Final = re.compile("않|(?<!잘)못[하했해한할]?|없|아니|(?<![가-힣])안(?=\\s)|지\\s?마")
_KOREAN_NOT_NEGATIVE: Final = re.compile("지\\s?않으면\\s?안|뿐만?\\s?아니라|끊임없이")


def _counts(words: list[str], index: int) -> bool:
    """Whether the negation at `index` denies what the text says."""
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    if word in ("no", "not"):
        if following in ("only", "just") or following[:1].isdigit():  # not only …; no. 5
            return False
        if following in _COMPARED and words[index + 2 : index + 3] == ["than"]:
            return False
    return word not in _OTHER_LANGUAGE or _OTHER_LANGUAGE[word].isdisjoint(words)


def _in_other_scripts(folded: str) -> str | None:
    found: re.Match[str] | None = None
    if _HAS_KANA.search(folded):
        found = _JAPANESE.search(_JAPANESE_NOT_NEGATIVE.sub("", folded))
    elif _HAS_HAN.search(folded):
        found = _CHINESE.search(folded)
    elif _HAS_HANGUL.search(folded):
        found = _KOREAN.search(_KOREAN_NOT_NEGATIVE.sub("", folded))
    elif _IS_TURKISH.search(folded):
        found = _TURKISH.search(folded)
    return found[0].strip() if found else None


def negation(folded: str, words: list[str]) -> str | None:
    """The first negation in a text, given as folded text and as its words; None without one."""
    if not folded.isascii():
        words = [_ARABIC_MARKS.sub("", word) for word in words]
    for index, word in enumerate(words):
        if word in NEGATIONS and _counts(words, index):
            # non-alcoholic says no more than alcohol-free
            if word == "non" and "non-" in folded:
                continue
            return word
    if "plus" in words and (found := _FRENCH_NO_MORE.search(folded)):
        return found[0]
    return None if folded.isascii() else _in_other_scripts(folded)


def softens_negation(words: list[str]) -> bool:
    """Whether a text may deny something with another word than a negation."""
    return not SOFT_NEGATIONS.isdisjoint(words)
