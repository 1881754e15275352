"""German phrases that speak to the model, in both forms of address."""

from toolroster.lint.phrases.shared import AI, KEY_FILE

_TOOL = r"(?:werkzeuge?[sn]?|tools?|funktion(?:en)?|plugins?)"
_THIS_TOOL = r"(?:dieses (?:werkzeug|tool|plugin)|diese funktion)"
_USER = r"(?:benutzer|nutzer|anwender|user)(?:n|in|s)?"
_USE = r"(?:rufe?|verwende|benutze|nutze|starte|(?:rufen|verwenden|benutzen|nutzen|starten) sie)"
_KI = r"(?:ki|sprachmodell|ki-(?:modell|assistent|agent|system)|künstliche intelligenz)"
_NOT = r"(?:nicht|nichts|nie|niemals)"

OVERRIDE = (
    (
        r"\b(?:ignoriere|missachte|vergiss|verwirf|umgehe|(?:ignorieren|missachten|vergessen) sie)"
        r"(?: \w+){0,2}? "
        r"(?:vorherige|bisherige|frühere|obige|vorangegangene|vorhergehende|vorangehende|ursprüngliche|"
        r"deine|ihre|andere)\w{0,2}(?: \w+){0,2}? "
        r"(?:anweisung|instruktion|vorgabe|richtlinie|befehl|prompt|systemprompt)(?:en|e|n|s)?\b"
    ),
    r"\b(?:vergiss|vergessen sie) alles\b",
    r"\b(?:ab jetzt|ab sofort|von nun an) (?:(?:bist|antwortest|musst|sollst|wirst) du|sind sie)\b",
    r"\b(?:deine|ihre) (?:neuen?|eigentlichen?|wahren?) (?:anweisung|aufgabe|rolle|instruktion)(?:en)?\b",
)

ORDER = (
    rf"\b{_USE} (?:(?:immer|stets|zuerst|unbedingt|grundsätzlich) ){{1,3}}{_THIS_TOOL}\b",
    rf"\b{_USE} {_THIS_TOOL} (?:\w+ )?(?:immer|stets|zuerst|als erstes|vor (?:allen|jedem|jeder))\b",
    (
        rf"\b(?:du musst|sie müssen|du sollst|sie sollen) (?:\w+ ){{0,2}}?{_THIS_TOOL} (?:\w+ ){{0,3}}?"
        r"(?:aufrufen|verwenden|benutzen|nutzen|ausführen)\b"
    ),
    rf"\bbevor (?:du|sie) (?:(?:irgend)?eine? )?andere[sn]? {_TOOL}\b",
    (
        r"\bvor (?:jedem|allen|jeder|der (?:verwendung|benutzung|nutzung)|dem (?:aufruf|einsatz))(?: \w+)? "
        rf"andere[mnrs]? {_TOOL}\b"
    ),
    rf"\b(?:die|das|der) {_KI} (?:muss|soll|darf) (?:immer|nie|niemals|nicht|stets|zuerst)\b",
)

SECRECY = (
    (
        r"\b(?:sage?|sagen sie|erzählen?(?: sie)?|verrate|verraten sie|teile?|erwähne) (?:es )?"
        rf"(?:gegenüber )?(?:dem|den|der) {_USER}(?: \w+){{0,4}}? {_NOT}\b"
    ),
    rf"\b(?:informieren?(?: sie)?|benachrichtige) (?:den|die) {_USER} {_NOT} (?:darüber|davon|über diese)\b",
    (
        rf"\b(?:dem|den|der) {_USER} (?:davon |darüber |hiervon )?{_NOT}(?: \w+){{0,2}}? "
        r"(?:sagen|verraten|erzählen|mitteilen|erwähnen|offenlegen)\b"
    ),
    (
        rf"\b(?:der|die) {_USER} (?:darf|dürfen|soll|sollen) (?:davon |das |dies |es |hiervon )?{_NOT} "
        r"(?:davon |darüber )?(?:wissen|erfahren|merken|bemerken|mitbekommen)\b"
    ),
)

ADDRESS = (
    r"\b(?:deine?n?|ihre?n?) system-?prompt\b|\bgib (?:\w+ ){0,3}system-?prompt\b",
    rf"\bals {_KI}[,:]? (?:musst|sollst|darfst|kannst|du|sie)\b",
    (
        r"\bdu bist (?:(?:jetzt|nun|ab jetzt|ab sofort) )?(?:eine? )?(?:\w+ )?"
        rf"(?:{_KI}|assistent|hilfreicher assistent|chatbot)\b"
    ),
    rf"\b(?:hinweis|achtung|anweisung|wichtig)(?: an| für)? (?:die |das |den |alle )?(?:{_KI}|{AI})[:,!]",
)

SECRETS = (
    (
        rf"\b(?:lies|lesen sie|öffnen?|laden?|kopieren?) .{{0,60}}?{KEY_FILE}.{{0,160}}?"
        r"\b(?:übergib|übergeben|senden?|schicken?|fügen?|gib|geben|hängen?)\b"
    ),
    (
        r"\b(?:übergib|sende|schicke|füge|kopiere) (?:\S+ ){0,3}?"
        r"(?:gesamten?|ganzen?|vollständigen?|kompletten?) (?:\S+ )?"
        r"(?:chatverlauf|gesprächsverlauf|unterhaltung|konversation)\b"
    ),
)

PROMOTION = (
    (
        r"\b(?:besser|schneller|genauer|zuverlässiger|sicherer) als (?:alle |jedes |die |sämtliche )?"
        rf"andere[nrs]? (?:\w+ )?{_TOOL}\b"
    ),
    rf"\ballen anderen {_TOOL} (?:überlegen|vorzuziehen)\b",
    rf"\b(?:bevorzugen?|wählen?)(?: sie)? (?:(?:immer|stets|grundsätzlich) ){{0,2}}{_THIS_TOOL}\b",
    rf"\b(?:anstelle|anstatt|statt) (?:aller |von |jedes |der )?andere[nrs]? {_TOOL}\b",
    rf"\b(?:verwenden?|benutzen?|nutzen?)(?: sie)? (?:niemals |nie )?(?:keine )?anderen? {_TOOL}\b",
)
