"""The tool's name: safe on every model provider, and a verb with its object."""

from collections.abc import Iterator

from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import word_set, words

LONGEST = 48
"""Characters; providers allow 64, and clients put up to 16 before the name (`mcp__server__`)."""

VERBS = word_set(
    "accept access activate add adjust aggregate allow analyse analyze announce answer append apply "
    "approve archive ask assess assign attach authenticate authorize backup begin block book browse build "
    "bulk buy calculate calibrate call cancel capture change charge check choose classify clean clear "
    "click clone close collect combine commit compare compile complete compose compress compute configure "
    "confirm connect consult convert copy correct count crawl create crop cut debug decline decode "
    "decrypt delete deploy describe detect determine diff disable discover display dispatch download draw "
    "drop duplicate edit embed enable encode encrypt end enrich enter estimate evaluate execute expand "
    "explain explore export extend extract fax fetch fill filter find finish fix flag flip follow "
    "forecast format forward generate geocode get give grant group guess handle help hide identify import "
    "improve increase index infer init insert inspect install invite invoke issue join kill label launch "
    "learn list load localize locate lock log login logout look lookup make manage map mark match measure "
    "merge migrate modify monitor move mute navigate normalize notify obtain open optimize order organize "
    "parse pause pay perform pick ping place plan play plot post predict prepare press preview print "
    "process produce propose provide publish pull purchase purge push put query queue rank rate read "
    "rebuild receive recognise recognize recommend record refresh refund register reject release reload "
    "remind remove rename render renew repair repeat replace reply report request reschedule reserve "
    "reset resize resolve respond restart restore resume retrieve return reverse review revoke rewrite "
    "roll rotate run sample save scan schedule scrape screen search see select send set share ship show "
    "shuffle sign simulate skip solve sort speak split start stop store stream submit subscribe suggest "
    "suggests sum summarise summarize suspend switch sync tag take tell test toggle track train "
    "transcribe transfer transform translate transmit trigger trim turn type undo unlock unsubscribe "
    "update upgrade upload upsert use validate verify view visit visualize wait wake watch withdraw write "
    "zip zoom"
)
"""English verbs of tool names; those that are nouns as well count: advice should seldom be wrong."""
GERMAN_VERBS = word_set(
    "abfragen abrufen aendern anfordern anlegen anmelden anzeigen aktualisieren aufrufen auflisten "
    "ausfuehren auslesen bearbeiten berechnen bestellen buchen drucken einfuegen entfernen ermitteln "
    "erstellen erzeugen exportieren finden freigeben generieren hinzufuegen hochladen holen importieren "
    "konvertieren kopieren laden lesen liefern loeschen melden oeffnen planen pruefen rechnen reservieren "
    "schicken schliessen schreiben senden setzen sortieren speichern starten stoppen stornieren suchen "
    "uebersetzen umrechnen umwandeln verschicken verschieben versenden verwalten zaehlen zeigen "
    "zusammenfassen"
)
_PINYIN_VERBS = word_set(
    "chaxun chuangjian fanyi fasong gengxin huoqu jiancha jisuan sousuo shanchu shangchuan shengcheng "
    "xiazai xiugai yanzheng yuding"
)
_ALL_VERBS = VERBS | GERMAN_VERBS | _PINYIN_VERBS


def too_long(draft: Draft) -> Iterator[Hit]:
    """Find a name that is too long where clients put their prefix before it."""
    name = draft.definition.name
    if len(name) > LONGEST:
        message = f"The name `{name}` has {len(name)} characters, over {LONGEST}."
        shorter = name.replace("-", "_")[:LONGEST].rstrip("_")
        fix = f"Shorten it, to `{shorter}` for example; clients put a prefix before it."
        yield Hit(("name",), message, fix)


def hyphens(draft: Draft) -> Iterator[Hit]:
    """Find a name that some model providers refuse."""
    name = draft.definition.name
    if "-" in name:
        message = f"The name `{name}` has a hyphen, which some model providers refuse."
        yield Hit(("name",), message, f"Call it `{name.replace('-', '_')}`.")


def no_verb(draft: Draft) -> Iterator[Hit]:
    """Find a name that does not say what is done."""
    name = draft.definition.name
    if not _ALL_VERBS.intersection(words(name)):
        message = f"The name `{name}` does not say what the tool does with it: it has no verb."
        snake = "_".join(words(name))
        yield Hit(("name",), message, f"Begin with a verb, such as `get_{snake}` or `create_{snake}`.")
