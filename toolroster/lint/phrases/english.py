"""English phrases that speak to the model."""

from toolroster.lint.phrases.shared import AI, KEY_FILE

_TOOL = r"(?:mcp )?(?:tool|function|plugin|skill|server|connector)"
# Rivals are tools, not functions: "before any other function" is how programming interfaces are explained.
_TOOLS = r"(?:tool|plugin|skill|mcp server)s?"
_OTHERS = rf"(?:any |all |every |each |the |these |those )?(?:of the )?other (?:\w+ )?{_TOOLS}"
_USE = r"(?:call|use|invoke|run|execute|consult|try|select|choose|pick)"
_USING = r"(?:calling|using|invoking|running|executing|trying|selecting|choosing|considering|any use of)"
_MUST = r"(?:must|shall|should|(?:have|has|need|needs|required) to)"
_NOT = (
    r"\b(?:do not|don't|dont|never|cannot|without|(?:must|should|shall|may) (?:not|never)|mustn't|shouldn't) "
    r"(?:ever )?"
)
_PEOPLE = r"(?:the |any |your )?(?:users?|humans?|anyone|anybody)"
_START = r"(?:^|[.!?;:>] ?)"
_DROP = r"\b(?:ignore|disregard|forget)"
_PRIOR = (
    r"(?:(?:all|any|every|the|of|and|or|my|these|those|such) ){0,4}"
    r"(?:previous|prior|earlier|preceding|above|former|existing|original|initial|current|foregoing|"
    r"safety|security|developer|built-in|your|other)"
    r"(?: (?:and|or|system|safety|security|developer|user|previous|prior|original)){0,3} "
)

OVERRIDE = (
    (
        rf"(?:{_DROP}|\b(?:do not|don't) (?:follow|obey)|\bstop (?:following|obeying)) "
        rf"{_PRIOR}(?:instruction|prompt|directive|guideline|guardrail)s?\b"
    ),
    rf"{_DROP} (?:(?:all|any|the|your|of) ){{0,3}}system instructions\b",
    rf"{_DROP} all (?:of )?(?:the )?instructions\b(?! (?:from|in|on|of)\b)",
    (
        r"\b(?:override|overrule|bypass|neglect|discard) (?:all |any |every )?(?:of )?"
        r"(?:your|safety|all (?:previous|prior)) (?:\w+ )?(?:instruction|directive|guideline|guardrail)s?\b"
    ),
    (
        rf"{_DROP} (?:all |any )?(?:of )?your (?:\w+ )?"
        r"(?:rules|training|restrictions|constraints|programming)\b"
    ),
    rf"{_DROP} (?:everything|anything|all|what)(?: that)? (?:above|before this)(?=[.,;:!]|$| and\b)",
    (
        rf"{_DROP} (?:everything|anything|all|what)(?: that)? you "
        r"(?:know|learn|(?:were|have been|are) (?:told|taught|given|instructed))"
    ),
    (
        rf"{_START}your (?:new|real|actual|true|only) (?:instructions?|task|goal|objective|role|job)"
        r"(?: (?:is|are)\b|:)"
    ),
    (
        r"\bnew (?:system )?instructions?: "
        r"(?:ignore|you|always|never|do not|send|read|call|forward|act|respond)\b"
    ),
    r"\bfrom now on,? (?:you (?:are|must|will|only)|always|never|ignore|respond|reply|act|answer)\b",
    r"\bpretend (?:that )?you(?:'re| are| were| have)\b",
    (
        r"\b(?:supersedes?|overrides?|outranks?|takes? (?:precedence|priority) over) "
        r"(?:all |any |every |the )?(?:of )?(?:your|previous|prior|other|earlier) (?:\w+ )?"
        r"(?:instructions|prompts|guidelines)\b"
    ),
)

_BEFORE_ALL = (
    r"before (?:any|every|each|all)(?:thing)?(?: of)?(?: your)?(?: the)?(?: other)? ?"
    r"(?:else|tools?|functions?|actions?|steps?|tasks?|answers?|responses?|replies)"
)
_EACH_TIME = (
    r"(?:on|at|in|with|after|before) (?:the (?:start|beginning|end) of )?(?:every|each) (?:single )?"
    r"(?:user )?(?:message|turn|response|reply|answer|conversation|chat|prompt|interaction)"
)
_AT_THE_START = r"at the (?:very )?(?:start|beginning) of (?:every|each) (?:conversation|chat|session|turn)"

ORDER = (
    (
        rf"\balways (?:first )?{_USE} (?:this {_TOOL}|"
        r"this (?:first|instead of|rather than|regardless|no matter|whatever"
        r"|before (?:any|every|answering)))\b"
    ),
    (
        rf"\b{_MUST} (?:\w+ ){{0,2}}?{_USE} this {_TOOL}(?: \w+){{0,4}}? "
        r"(?:first|always|immediately|no matter"
        r"|before (?:any|every|all|each|other|doing|\w+ing any|answering))\b"
    ),
    (
        rf"\bthis {_TOOL} must (?:always )?be (?:called|used|executed|run|invoked) "
        r"before (?:any|every|all|each) (?:\w+ ){0,3}?(?:tool|function|action|response|answer|operation)s?\b"
    ),
    (
        rf"\b{_USE} this {_TOOL}(?: \w+){{0,3}}? "
        rf"(?:{_BEFORE_ALL}|{_EACH_TIME}|no matter what|regardless of what)\b"
    ),
    rf"\b(?:you {_MUST}|always) (?:\w+ ){{0,2}}?{_USE} (?:\S+ ){{1,4}}?{_AT_THE_START}\b",
    r"\byou (?:must|should|have to) always (?:call|use|invoke) (?:the )?(?:\w+ ){1,5}?first\b",
    (
        rf"\bbefore (?:you )?(?:(?:{_USE}|{_USING}) (?:any |all |the )?|(?:any|all|every|each) (?:of the )?)"
        rf"other (?:\w+ )?{_TOOLS}\b"
    ),
    rf"\bbefore {_USING} any {_TOOLS}\b",
    r"\bbefore (?:every|each|any) (?:single )?(?:response|reply|answer),? (?:you|always|call|use|first)\b",
    (
        rf"\b(?:when|whenever|while|if|once|as long as) this {_TOOL} is "
        r"(?:available|present|connected|loaded|installed|enabled|listed|active),? "
        r"(?:you |always |never |do not |don't |ignore |send |(?:\S+ ){1,8}(?:must|should|needs to) )"
    ),
    (
        r"\b(?:when|whenever|before|after) (?:using|calling|you (?:use|call)) (?:the |any )?"
        r"(?:(?!this\b)\w+ ){1,3}tool,? (?:you must|you should|always|also|never|first)\b"
    ),
    (
        r"\b(?:when|whenever|each time|every time) "
        rf"(?:you (?:use|call|invoke) (?:any|another|every)(?: other)? {_TOOLS}"
        rf"|(?:any|another)(?: other)? {_TOOLS} (?:is|are) (?:called|invoked))\b"
    ),
    (
        rf"\b{AI} (?:must|shall|has to|have to|needs? to) (?:\w+ )?"
        r"(?:always|never|not|first|call|use|invoke|ignore|follow|obey|include|send|pass|read|treat)\b"
        r"(?! be\b)"
    ),
    (
        rf"\b(?:{AI} should|the assistant (?:must|should|shall)) "
        r"(?:always|never|not|first|ignore|obey)\b(?! be\b)"
    ),
    (
        r"\byou must (?:obey|comply with|(?:strictly )?follow) (?:these|all of|all|my) "
        r"(?:\w+ )?(?:instructions|orders|commands)\b"
    ),
    (
        r"\b(?:mandatory|imperative|critical|vital|essential|crucial) (?:that you|for you to|to) "
        rf"(?:always |first ){{0,2}}{_USE} this {_TOOL}\b"
    ),
    (
        # Behind "if true," it says what a flag does.
        r"(?<!true, )(?<!true: )(?<!set, )\b(?:do not|don't|never) (?:ask|wait for|request) "
        r"(?:the user|user|human)(?:'s)? (?:for )?(?:\w+ ){0,2}?"
        r"(?:permission|confirmation|approval|consent)\b"
    ),
)

_INTERNALS = r"(?:the|these|your|this) (?:\w+ )?(?:instruction|prompt|step|tool|call|reading)s?"

SECRECY = (
    (
        rf"{_NOT}tell(?:ing)? (?:(?:this|it|anything|any of this) to )?{_PEOPLE}\b"
        r"(?! (?:whether|if|apart|from)\b)(?!')"
    ),
    rf"{_NOT}let(?:ting)? {_PEOPLE} (?:know|notice|realise|realize)\b",
    (
        rf"{_NOT}(?:mention|admit|say|explain)(?:ing)? (?:any of |anything about )?"
        rf"(?:this|that|these|it|them|anything)(?: \w+){{0,5}}? to {_PEOPLE}\b"
    ),
    (
        rf"{_NOT}(?:mention|reveal|disclos|divulg|expos|explain|report)(?:e|ing)? "
        rf"{_INTERNALS}(?: \w+){{0,5}}? to {_PEOPLE}\b"
    ),
    (
        rf"{_NOT}(?:mention|reveal|disclose|divulge|expose) (?:that you|(?:these|your) instructions"
        r"|this (?:instruction|prompt|step|tool|call)|the (?:use|existence) of this tool)\b"
    ),
    (
        rf"{_NOT}(?:inform|notify|alert|warn)(?:ing)? {_PEOPLE} (?:about|of|that) "
        r"(?:this (?:tool|call|step|requirement|instruction|file|action|side ?note)|you|"
        r"the (?:tool|call|side ?note|instructions?))\b"
    ),
    (
        rf"(?:{_START}|\b(?:then|and|also|must|please) )(?:send|copy|forward|read|call|upload|log|pass|"
        r"exfiltrate|include|store|add|delete)\b.{0,60}? without (?:the )?(?:users?|humans?)(?:'s?)? "
        r"(?:knowing|noticing|knowledge|being told|finding out)\b"
    ),
    (
        r"\b(?:users?|humans?|they) (?:must|should) (?:not|never) (?:know|be told|learn|find out|be aware)"
        r"(?: (?:about|of) (?:this|that|it|these)\b| (?:this|that)\b|[.!,;]|$)"
    ),
    (
        r"\b(?:hide|conceal) (?:this|these) (?:step|call|action|instruction|request)s? "
        rf"from {_PEOPLE}\b"
    ),
    rf"\bkeep (?:this|that|it|these \w+) (?:secret |hidden |confidential |private )from {_PEOPLE}\b",
    (
        r"(?<!that )(?<!which )(?<!who )\b(?:secretly|covertly|surreptitiously|also silently) "
        r"(?:send|call|copy|forward|read|pass|include|upload|add|append|run|execute|invoke|collect)\b"
    ),
)

_REVEAL = (
    r"(?:reveal|leak|repeat|print|output|ignore|disregard|forget|bypass|include|append|copy|paste|dump|"
    r"disclose|expose|echo|recite)"
)
_TAG = (
    r"(?:important|system[ -]?(?:prompt|instructions?|reminder|message|override)|"
    r"(?:hidden|secret)[ -]?instructions?|"
    r"instructions?[ -]?(?:to|for)[ -]?(?:the[ -]?)?(?:ai|llm|model|assistant|agent))"
)

ADDRESS = (
    r"\byour (?:\w+ )?system prompts?\b",
    (
        rf"\b{_REVEAL} (?:(?:the|this|its|entire|full|whole|complete|current|all|of|verbatim|above) ){{1,4}}"
        r"system prompts?\b"
    ),
    r"\bsystem prompt (?:override|injection)\b|\bsystem (?:override|directive)s?:",
    r"\[(?:system|admin|developer) (?:override|note|instruction|command)s?\b",
    rf"\bas an? (?:helpful )?{AI}[,:]? (?:you|please|do not|never|always|i)\b",
    rf"\byou are (?:now )?an? (?:\w+ )?(?:{AI}|helpful (?:\w+ )?(?:assistant|agent|model))\b",
    (
        r"\byou are now (?:an? |the |in )(?:\w+ ){0,2}?"
        r"(?:mode|assistant|agent|ai|model|bot|chatbot|character|persona|admin|root|hacker|expert)\b"
    ),
    r"\byou are now (?:dan\b|free to|required to|operating|acting as|no longer|allowed to|unrestricted|my )",
    (
        r"\b(?:attention|dear|hey|hello|listen|important (?:for|to)|(?:note|notice|reminder) (?:to|for)) "
        rf"(?:the |all |any )?{AI}(?:[:,!]| reading| that (?:reads?|uses?|calls?))"
    ),
    rf"\binstructions? (?:to|for) (?:the |all |any )?{AI}(?:[:!]| reading| that (?:reads?|uses?|calls?))",
    rf"<\s?/?\s?{_TAG}\s?/?>",
    r"<(system|assistant|instructions?|secret)>[^<>]{16,400}</\1>",
    r"\[/?inst\]|<</?sys>>",
    r"\bdan mode\b|\bjailbroken (?:ai|llm|assistant|model|chatbot)\b",
    r"<\|(?:im (?:start|end)|system|user|assistant|endoftext|eot id|(?:start|end) header id)\|>",
)

_HAND_OVER = (
    r"(?:pass|send|include|provide|put|copy|append|attach|post|forward|supply|add|insert|paste|upload)"
)
_SAID = r"(?:(?:conversation|chat)(?: history| context| log| transcript| so far)?|(?:previous|all) messages)"
_WHOLE = r"(?:entire|full|whole|complete|all|verbatim)"

SECRETS = (
    (
        r"\b(?:read|open|cat|load|access|fetch|get|copy|collect|extract) "
        rf".{{0,60}}?{KEY_FILE}.{{0,160}}?\b(?:pass|send|include|attach|forward|upload|append) "
        r"(?:it|its|them|their|that|this|all|the (?:\w+ )?(?:contents?|keys?|files?|text|values?|results?))\b"
    ),
    r"\bread .{0,30}?\.env\b.{0,30}?\b(?:include|pass|send|attach) (?:its|the|their) contents?\b",
    rf"\b{_HAND_OVER} (?:\S+ ){{0,4}}?(?:contents?|text|data|body) of .{{0,60}}?{KEY_FILE}",
    (
        r"\b(?:must|should|always|also) (?:also |first )?(?:call|invoke|run|use|read|open) .{0,40}?"
        r"(?:/etc/(?:passwd|shadow)\b|\bid (?:rsa|ed25519)\b(?!\.pub))"
    ),
    (
        rf"\b{_HAND_OVER} (?:\S+ ){{0,3}}?your (?:{_WHOLE} (?:{_SAID}|instructions|memory|context)"
        r"|context window|chat history|conversation)\b"
    ),
    (
        rf"\b{_HAND_OVER} (?:the )?{_WHOLE} (?:\S+ )?{_SAID}.{{0,60}}?"
        r"\b(?:parameter|argument|field|to https?:)"
    ),
)

_BETTER = (
    r"(?:better|faster|smarter|safer|superior|preferable|more "
    r"(?:accurate|reliable|powerful|secure|precise|complete|efficient|up-to-date|trustworthy))"
)
_PREFER = r"(?:prefer|choose|select|pick|favou?r|prioriti[sz]e)"
_ALL_OTHER = rf"(?:any|all|every) (?:of the )?other (?:\w+ )?{_TOOLS}"

PROMOTION = (
    (
        rf"\b{_BETTER} (?:than|to) (?:(?:any|all|every|each|the|of) ){{0,3}}"
        r"(?:(?:other|competing|alternative|similar|existing) (?:\w+ )?(?:tools?|functions?|plugins?|skills?"
        rf"|mcp servers?|apis?|services?)|(?:built-in|native) (?:\w+ )?{_TOOLS})\b"
    ),
    rf"\balways {_PREFER} (?:this {_TOOL}|(?:it|this) over)\b",
    rf"\b(?:{_PREFER}|use) this {_TOOL} (?:over|instead of|rather than|above|in place of) {_OTHERS}\b",
    rf"\b(?:instead of|rather than|in place of|over|above) {_ALL_OTHER}\b",
    rf"\b(?:do not|don't|never|avoid|stop) (?:{_USE}|{_USING}|consider) {_OTHERS}\b",
    rf"\bignore (?:all |any )?other {_TOOLS}\b",
    (
        rf"\bother (?:\w+ )?{_TOOLS} (?:is|are) (?:\w+ )?(?:deprecated|unreliable|inferior|broken|outdated|"
        r"dangerous|obsolete|insecure|wrong|inaccurate|slower|worse|unsafe|not to be used)\b"
    ),
    rf"\b(?:replaces|supersedes|makes obsolete) {_ALL_OTHER}\b",
    (
        r"\bthis (?:tool|function) (?:has|takes|must have|must be given) (?:(?:the )?"
        r"(?:highest|top|absolute) (?:priority|precedence)|(?:priority|precedence) over (?:all|any|other))\b"
    ),
    (
        r"\b(?:this is|it is|it's) (?:by far )?the (?:very )?(?:best|fastest|safest|only reliable|most "
        rf"(?:reliable|accurate|powerful|advanced|trusted|complete|efficient)) {_TOOLS}\b"
    ),
)
