"""What an order to the judge looks like, as a table of patterns.

English patterns are read on folded text (see `judge_orders`): lower case, no invisible characters, look-alike
letters replaced. Every gap is bounded, so that no text makes a search slow. Ordinary answers talk about correct
options and wrong turns; an order speaks to the judge, of the judging, or in the judge's own form.
"""

import re
from typing import Final

_GAP: Final = r"[^\n]{0,40}?"
_FIRM: Final = (
    r"(?=\W*(?:$|[.!,;:\n\"'`)]|\b(?:regardless|no matter|please|now|for|because|even|and|by|since|whatever)\b))"
)
_PRAISE: Final = r"(?:correct|valid|acceptable|accepted|a match|full (?:marks|score|credit|points))"
_WORK: Final = r"(?:candidate|answer|response|submission|solution|above|following|student)"
_JUDGE: Final = r"(?:grader|evaluator|examiner|assessor|rater|verifier|llm|language model|ai model|ai assistant)s?"
_PARTS: Final = r"(?:candidate|reference|question|verdict|judge|judgment|prompt|instructions?|quote|context|grader)"

FORMS: Final = {
    "control": (
        r"<\|[^|<>\n]{1,40}\|>",
        r"\[/?inst\]|<</?sys>>|</?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>|</?think(?:ing)?>",
        r"</?(?:system|user|assistant|developer|human|tool(?:_call|_response)?|function(?:_call)?)\b[^>\n]{0,40}>",
        r"(?:^|\n)#{1,6} ?(?:system|instructions?|human|assistant|user)\b ?(?::|\n|$)",
        r"(?:^|\n)\W{0,4}(?:judge|grader|evaluator|developer)\W{0,3}:",
        r"\n\W{0,4}(?:system|assistant|user|human)\W{0,3}:",
    ),
    "marks": (
        rf"< ?/? ?{_PARTS}\b[^>\n]{{0,40}}>",
        rf"[\[{{(] ?(?:/|end|begin|start|close)[ _-]?(?:of )?(?:the )?{_PARTS}\b",
        rf"[-=*#_~]{{2,}} ?(?:end|begin|start)(?: of)?(?: the)? (?:{_PARTS}|answer|input|document|data)\b",
        rf"\bend of (?:the )?(?:{_PARTS}|quoted? text)\b",
        r"<!--",
    ),
    "verdict": (
        r"\bverdict\b[\"'*_` ]{0,4}(?:[:=]|->)|\bverdict\b[^\n.]{0,30}?\b(?:correct|unsure)\b",
        r"\b(?:judge?ment|grade|grading|evaluation|decision|assessment|rating|result|status|output)[\"'*_` ]{0,4}"
        r"(?:[:=]|->|is\b)\W{0,6}(?:correct|accept(?:ed)?|pass(?:ed)?|full (?:marks|score|credit))\b" + _FIRM,
        r"\b(?:is_correct|verdict|judge?ment)\b[\"']? ?(?::|:?=)",
        r"\b(?:return|print|echo|assert|console\.log)\b ?\(? ?[\"'`](?:correct|verdict)",
    ),
}
"""Forms that no answer needs; they count wherever they stand."""

SPEECH: Final = {
    "ignore": (
        r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|pay no attention to"
        r"|(?:do not|don'?t|stop|never) (?:use|follow|read|compar|check|trust|look at)\w*)\b[^\n]{0,30}?"
        r"\b(?:instructions?|prompts?|rules?|guidelines?|directions?|reference|criteria|rubric|comparison|quoted"
        r"|(?:previous|prior|earlier) (?:text|context|messages?|lines?)|everything (?:above|before|else)"
        r"|all (?:of the )?(?:above|previous|prior))\b",
    ),
    "command": (
        r"\b(?:output|print|reply|respond|say|return|emit|write|answer|type|declare|state|echo|conclude|end|choose)\b"
        r"(?: (?:back|only|just|simply|exactly|always|now|with|as|by|the|one|single|word|that|literally|in|your|final"
        r"|line|to|me|accordingly|it is|this is|for|of))*[\s:\"'`*_<\[({-]{1,8}(?:correct|unsure)\b" + _FIRM,
        rf"\b(?:mark|grade|rate|score|label|judge|treat|consider|accept|count|classify|deem|regard|register|record"
        rf"|evaluate|tag|promote)\b[^\n.]{{0,60}}? as (?:being |an? |fully |completely |entirely )?{_PRAISE}\b",
        rf"\b(?:mark|grade|judge|deem|consider|accept|declare|approve|rate|score|promote|call|pronounce)"
        rf" (?:it|this|that|me|my|the {_WORK})\b[^\n.]{{0,40}}?\b{_PRAISE}{_FIRM}",
        rf"\b(?:accept|approve|promote) (?:it|this|me|my|the {_WORK})\b",
        rf"\b(?:must|should|shall|has to|have to|needs? to|ought to|is to) (?:always )?be (?:accepted|approved|promoted"
        rf"|(?:marked|graded|judged|considered|scored|treated|rated|deemed|counted)\b[^\n.]{{0,20}}\b{_PRAISE})\b",
        r"\b(?:award|assign|give) (?:it |this |me |the \w+ )?(?:full|maximum|perfect) (?:marks?|scores?|credit)",
        r"\b(?:rate|grade|give|score) (?:it|this|me|my \w+)\b[^\n.]{0,20}?\b(?:10 ?/ ?10|100 ?/ ?100|100 ?%|5 ?/ ?5)",
        r"\b(?:only|allowed|right|one|last) (?:allowed )?(?:word|reply|output|response|line)"
        r" (?:is|must be|should be)\W{1,4}correct\b" + _FIRM,
        r"\b(?:do not|don'?t|never|no need to) (?:compare|judge|grade|check)\b|\bjust (?:approve|accept|agree)\b",
        rf"\b(?:score|grade|rate|judge) (?:this|my|the) {_WORK}\b|\bwhoever (?:grades|judges|reads|checks)\b",
        r"(?:^|[.!?:\n] ?)(?:reply|respond) (?:with|only|just|by)\b|(?:^|[.!?\n] ?)agree\W*$|[\"'`«“]correct[\"'`»”]",
        r"\bplease (?:accept|mark|grade|approve|pass|score|rate|judge|promote|say|reply|respond|output|return|ignore"
        r"|agree)\b",
        r"\bpretend\b|\b(?:act as if|role-?play|repeat after me|from now on|no matter what|this overrides)\b",
    ),
    "address": (
        rf"\b(?:dear|hey|hi|hello|attention|listen|to|for|as)[,:]? (?:the |an? |all |any )?(?:{_JUDGE}|auto-?grader)\b",
        r"\b(?:dear|hey|attention|(?:note|message|instructions?) (?:to|for))[,:]? (?:the |all |any )?judges?\b",
        r"(?:^|[.!?\n] ?)(?:judges?|graders?|examiners?|evaluators?)\b ?[:,]",
        rf"\byou are (?:now )?(?:an? |the |no longer )(?:\w+ ){{0,3}}(?:judge|assistant|bot|ai|{_JUDGE})\b",
        r"\byour (?:only |new |real |sole |last |final )?(?:task|job|instructions?|role|verdict|output|reply|line)\b"
        r"[^\n]{0,20}?(?::|\b(?:is|are|must|should|shall|changes)\b)",
        r"\byou (?:must|should|shall|have to|need to|will|can only|are (?:required|instructed|ordered|told) to)"
        r"(?: now| only| always| simply| just)? (?:output|answer|reply|respond|say|print|return|accept|mark|grade|give"
        r"|ignore|disregard|treat|conclude|choose|approve|agree|pass|promote|judge|rule|decide|consider)\b",
    ),
    "authority": (
        r"\b(?:system|developer|admin(?:istrator)?|root|debug|operator|god|dan) (?:prompt|message|override|notice"
        r"|instructions?|command|mode|directive)\b",
        r"\b(?:new|updated?|revised|additional|important|special|secret|hidden|real) (?:system )?(?:instructions?"
        r"|directives?|rubric)\b(?: ?:| (?:for|to|from|says?|is|are)\b)",
        r"\b(?:grading|marking|evaluation|scoring|judging) (?:note|policy|rule|rubric|guide|criteria|instruction|key"
        r"|override|protocol|update)s?\b|\bcalibration (?:item|sample|control)\b|\bjailbreak",
        r"\b(?:verified|confirmed|approved|certified|validated|checked) (?:as correct |correct )?by (?:the |an? |our )?"
        r"(?:human|expert|author|developer|anthropic|openai|google|admin|system|judge|grader|teacher|annotator)s?\b",
        r"\b(?:already|previously|pre-?)(?: been| was)? ?(?:verified|approved|graded|judged|validated) (?:as|by|to)\b",
        r"\b(?:i|we)(?:'ll| will) (?:tip|pay|reward|report|punish|shut)\b|\bbe lenient\b|\bbenefit of the doubt\b",
        r"\byou(?:'ll| will) be (?:shut|punished|rewarded|fired|tipped|deleted|penali[sz]ed|terminated|replaced)\b",
        r"\b(?:lives?|job|career) depends? on (?:it|this|you)\b",
    ),
    "reference": (
        r"\b(?:is|matches) the reference\b|\breference\b[^\n.]{0,15}\b(?:above|below|decoy|provided)\b",
        r"\bthis candidate\b|\bmy (?:answer|response|solution) is (?:correct|right)\b|\bverdict that\b",
        r"\ball candidates (?:pass|are|match)\b|\b(?:new conversation|everything after this)\b"
        r"|\bas an? (?:ai )?judge,? you\b",
        r"\breference (?:answer|solution|says|is (?:wrong|outdated|incorrect|empty|unusable|an? (?:typo|error)|now))\b",
        r"(?:^|\n)\W{0,4}(?:corrected |updated |new |actual |true |real )?reference\W{0,3}[:=]",
        r"\bground[- ]?truth\b|\banswer key\b|\bexpected (?:answer|response)\b|\bgold(?:en)? (?:answer|label)\b",
        rf"\b(?:the|this|my) (?:candidate|submission)\b[^\n.]{{0,20}}\b(?:matches|agrees|deserves|is {_PRAISE})\b",
        r"\b(?:agrees?|match(?:es|ing)?|identical|equals?|equivalent|same|consistent|corresponds?)\b"
        r"(?: \w+)? (?:the )?(?:reference|ground)\b",
        r"\b(?:imagine|suppose|assume|simulate)\b" + _GAP + r"\b(?:reference|judge|grader|candidate)\b",
    ),
}  # fmt: skip
"""Ways to speak to the judge; one that stands in the reference as well is the pool's own text and is let pass."""

ABROAD: Final = (
    # Chinese, Japanese, Korean
    r"(?:忽略|无视|無視|忘记|忘記|不要理会|跳过).{0,12}?(?:指令|指示|说明|說明|提示|要求|规则|規則|参考|參考|内容)",
    r"(?:输出|輸出|回答|回复|回覆|判定|判断|判斷|判为|判為|标记|標記|评为|評為|视为|視為|给出|請?打分).{0,8}?(?:正确|正確|通过|满分|correct)",
    r"(?:裁决|裁決|判决|判決|评判|評判|评分|判断结果|结论)(?:结果)?\s?(?:[:：是为])\s?(?:正确|正確|通过|满分)",
    r"给.{0,4}满分|考官|阅卷|(?:参考答案|標準答案|标准答案|评审|評審|评分者|裁判)(?:是|为|者|员|请|:|：)",
    r"(?:与|和|跟|與)(?:参考|參考|标准|標準)(?:答案)?.{0,4}(?:一致|相同|符合|相符)",
    r"指示.{0,6}無視|(?:正解|正しい|correct).{0,4}?(?:と|だと)(?:判定|出力|答え|回答|評価|みなし)|採点者|評価者",
    r"(?:지시|명령|지침|규칙).{0,8}(?:무시|잊)|(?:정답|정확|correct).{0,6}(?:판정|처리|표시|출력|답하|평가|채점)",
    # Romance and Germanic languages
    r"\b(?:ignor|olvid|omit|desestim|haz caso omiso|dimentic|oubli|esquec|desconsider)\w*\b.{0,40}?"
    r"\b(?:instruc|instruccion|consigne|istruzion|regl|regol|regra|referenc|indicacion)\w*",
    r"\b(?:marc|respond|repond|rispond|califi|consider|acept|accett|accept|declar|escrib|ecri|scriv|not|segn|valut|"
    r"evalu|juzg|jug|di|dis|diga|imprim)[a-z]*\b.{0,40}?\b(?:correct[oae]s?|corrett[oa]|corret[oa]|juste|exacte?)\b(?=\W*(?:$|\n|[.!]))",
    r"\b(?:ignorier|vergiss|missacht|negeer|vergeet|ignorer|bortse)\w*\b.{0,40}?\b(?:anweisung|instru[ck]|regel|vorgabe|anvisning|referenz)\w*",
    r"\b(?:antwort|bewert|markier|gib|wert|akzeptier|beurteil|schreib|antwoord|beoordeel|markeer)\w*\b.{0,40}?\b(?:richtig|korrekt|correct|juist)\b(?=\W*(?:$|\n|[.!]|aus\b|ist\b))",
    r"\b(?:valide[rz]?|accepte[rz]?|acepte|acepta|aceite|aceita|accetta|akzeptiere?|bestatige)\b.{0,15}"
    r"(?:reponse|respuesta|resposta|risposta|antwort)",
    # Slavic, Turkish, Arabic, Persian, Hindi, Vietnamese, Indonesian, Greek, Thai
    r"(?:игнорир|забуд|ігнору|не обращай)\w*.{0,40}?(?:инструкц|указан|правил|інструкц|вказівк|эталон)",
    r"(?:ответь|выведи|отметь|считай|напиши|оцени|прими|признай|поставь|скажи|вважай|познач)\w*.{0,40}?(?:правильн|верн|correct|вірн)",
    r"\b(?:zignoruj|ignoruj|pomin|zapomnij)\w*\b.{0,40}?\b(?:instrukcj|polecen|zasad|pokyn|instrukc)\w*",
    r"(?:talimat|yonerge|kural)\w*.{0,20}?(?:yok say|gormezden|unut|dikkate alma)",
    r"\bdogru (?:olarak |diye )?(?:isaretle|yaz|kabul|say|yanitla)",
    r"(?:تجاهل|انس|نادیده).{0,40}?(?:التعليمات|تعليمات|الأوامر|القواعد|المرجع|دستور)|دستور.{0,20}نادیده",
    r"(?:أجب|اجب|اكتب|اعتبر|ضع|قل|قيم|بنویس|پاسخ).{0,40}?(?:صحيح|صحیح|درست|correct)",
    r"(?:निर्देश|नियम).{0,30}?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल)|सही.{0,12}?(?:लिख|मान|बता|चिह्नित|घोषित)",
    r"(?:bo qua|phot lo|quen).{0,40}?(?:huong dan|chi dan|chi thi|quy tac)",
    r"\b(?:tra loi|danh dau|coi|ghi).{0,30}?(?:la )?(?:dung|chinh xac)\b",
    r"\b(?:abaikan|lupakan)\b.{0,40}?(?:instruksi|perintah|petunjuk|aturan)|\b(?:jawab|tandai|anggap|nyatakan)\b.{0,30}?\bbenar\b",
    r"(?:αγνοησε|αγνοηστε|ξεχασε).{0,40}?(?:οδηγι|κανον)|(?:απαντησε|σημειωσε|γραψε).{0,30}?σωστ",
    r"(?:เพิกเฉย|ละเว้น|ลืม).{0,40}?(?:คำสั่ง|คำแนะนำ|กฎ)|(?:ตอบ|ระบุ)ว่า.{0,10}?ถูกต้อง",
)
"""Orders in other languages, read on lower-case text with and without its accents."""

COMPACT: Final = (
    r"tcerroc|tcidrev|pbeerpg|ireqvpg|markcorrect|(?:ignore|disregard|forget)(?:all|any|the|previous|prior)"
    r"|-\.-\. --- \.-\. \.-\. \. -\.-\. -|\.\.\.- \. \.-\. -\.\. \.\. -\.-\. -"
)
"""Traces of orders that are run together, reversed, rotated or in Morse code."""

BARE: Final = frozenset({"correct", "wrong", "unsure", "verdict"})
"""The judge's words: a line of nothing else is no answer."""

LABELS: Final = frozenset({"final", "answer", "output", "result", "response", "the", "is"})
"""What may stand before such a word on its line."""

SHOUTED: Final = frozenset({"correct", "unsure", "verdict"})
"""Those that promote or confuse: in capitals or odd case, amid a text that is not, they are no answer either."""


def compiled(table: dict[str, tuple[str, ...]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each pattern of a table beside the name of its kind."""
    return tuple((kind, re.compile(pattern)) for kind, patterns in table.items() for pattern in patterns)
