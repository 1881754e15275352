"""Words and request phrases that say nothing about which tool is meant.

Own short lists: published ones drop words that tell tools apart ("up", "down", "before", "all"). The
verbs of asking (get, find, show …) are dropped because nearly every tool name has one of them.
"""

import re

from registry.search.language import word_set

ENGLISH = word_set(
    "a an the of to in on for and or is are be been with from by at as it its this that these those i you "
    "he she we they my your our their me him her us them can could would will shall should may might do "
    "does did have has had what which who whom whose how when where why please need want help get give "
    "tell show find let using use about into if so not no any some there here then than also just more "
    "most very much many s t ll re ve d m"
)
GERMAN = word_set(
    "der die das des dem den ein eine einen einem einer eines und oder ist sind war wird werden wurde mit "
    "von vom für fuer auf in im ins an am zu zum zur bei beim aus nach als auch es er sie wir ich du ihr "
    "mein meine meinen meinem meiner dein deine sein seine ihre ihren unser unsere mir mich dir dich uns "
    "euch ihm ihn sich kann kannst können möchte möchten will soll sollen muss bitte brauche brauchen "
    "was welche welcher welches welchen wer wem wen wie wo wann warum ob dass daß wenn so nicht kein "
    "keine keinen hier da dann nur noch man haben habe hat hast gib gibt zeig zeige finde finden diese "
    "dieser dieses diesen"
)
# Single characters that a run of Chinese is split at: particles and pronouns. Not 请, 还, 都, 就, 吧, which
# are part of words that matter (申请 apply, 还款 repay, 成都 Chengdu, 就业 employment, 酒吧 bar).
CHINESE_CHARACTERS = "的了吗呢啊呀嘛我你您他她它们把被这哪么很"

# The frame of a request. Matched in queries only; what is left names the task.
_FRAMES = (
    r"\b(?:is|are) there (?:a|an|any) (?:tool|function|api|service)s?\b",
    r"\b(?:tool|function|api|service)s? (?:that|which|to|for|able)\b",
    r"\b(?:i(?:'d| would) like|i am looking|i'm looking|i need|i want|help me)(?: to| for)?\b",
    r"\b(?:werkzeug|tool|funktion|dienst|programm)e?,? (?:das|die|der|mit dem|um|zum|zur|für)\b",
    r"\bgibt es (?:ein|eine|einen) (?:werkzeug|tool|funktion|dienst)\b",
    r"\b(?:ich (?:brauche|suche|möchte|will|würde gerne?)|hilf mir|kannst du)\b",
    r"(?:^|我们?)(?:需要|想要|想|要)(?:找|用)?(?:一个|一款|个)?",
    r"^请|请?(?:帮我|帮忙|麻烦你?|给我)",
    r"(?:有没有|能不能|可不可以|可以|能够|怎么样?|怎样|如何|什么|一下|一个|哪个|哪些)",
    r"的?(?:工具|接口|函数|服务)$",
)
REQUEST_FRAME = re.compile("|".join(_FRAMES), re.IGNORECASE)


def words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language; for East Asian texts those of their English words."""
    return GERMAN if language == "de" else ENGLISH
