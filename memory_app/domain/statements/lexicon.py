"""The closed word lists that comparing two statements rests on.

Everything here is lower case. Groups are written as words and compared as stems, so one form of a
word is enough. A word that is missing costs a duplicate; a wrong group loses a statement.
"""

from typing import Final


def words(text: str) -> list[str]:
    """The words of a list written as prose."""
    return text.split()


# Words that carry no fact of their own: their coming or going leaves a statement what it was.
LIGHT: Final = frozenset(
    words(
        """
        a an the this that these those is are was were be been being am do does did done has have
        had having will would shall to of in on at for with by as and also it its they them their
        theirs themselves itself there here which who whom whose what where so too very quite
        rather really just now currently presently already please note remember fyi btw that's
        both then thus hence s d ll re ve m about into onto upon per via within than but
        when while because since get got gets getting going go goes goes been he him his she her
        hers himself herself i me my mine myself we us our ours you your yours one's own
    """
    )
)
# Persons: two statements that speak of different persons are two statements.
PERSONS: Final[dict[str, str]] = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "speaker"),
    **dict.fromkeys(("we", "us", "our", "ours"), "speakers"),
    **dict.fromkeys(("you", "your", "yours"), "listener"),
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
}
BE: Final = frozenset(words("is are was were be been being am 's"))
PAST: Final = frozenset(words("was were formerly previously former ex once ago"))
PREPOSITIONS: Final = frozenset(
    words("on in at during every each since for by after before until from to with under via as of")
)
COMPARATIVES: Final = frozenset(words("than over above below under before after against"))

NEGATIONS: Final = frozenset(
    words(
        """
        not no never none nobody nothing nowhere neither nor without cannot cant wont dont doesnt
        didnt isnt arent wasnt werent hasnt havent hadnt wouldnt shouldnt couldnt aint unable
        hardly barely lacks lacking fails refuses avoids excludes excluding except non anymore
    """
    )
)
# (negation, following word) that only look like one.
NOT_NEGATIONS: Final = frozenset(
    [(n, w) for n in ("not", "never", "dont") for w in ("forget", "hesitate", "miss", "overlook")]
    + [(n, w) for n in ("not",) for w in ("only", "just", "least", "merely", "simply")]
    + [("no", w) for w in ("later", "doubt", "matter", "sooner", "earlier")]
    + [("nothing", "but"), ("without", "fail"), ("without", "doubt"), ("none", "other")]
)

ANTONYMS: Final[frozenset[frozenset[str]]] = frozenset(
    frozenset(pair.split("/"))
    for pair in words(
        """
        like/hate like/dislike love/hate enjoy/dislike enjoy/hate prefer/avoid want/refuse
        open/closed open/shut open/close enable/disable enabled/disabled single/married
        married/divorced short/long brief/long brief/detailed short/detailed fail/succeed
        failed/passed fail/pass pass/fail success/failure on/off true/false allow/forbid
        allowed/forbidden allow/deny allow/block permitted/forbidden inside/outside
        indoors/outdoors hot/cold warm/cold up/down happy/sad young/old new/old big/small
        large/small start/stop begin/end started/finished accept/reject approve/reject
        approved/rejected active/inactive public/private dark/light always/never always/sometimes
        many/few day/night morning/evening morning/afternoon morning/night black/white
        increase/decrease raise/lower before/after full/empty alive/dead employed/unemployed
        more/less more/fewer early/late earlier/later high/low higher/lower fast/slow
        faster/slower win/lose won/lost buy/sell bought/sold present/absent awake/asleep
        alone/together draft/final required/optional mandatory/optional internal/external
        upstream/downstream read/write input/output source/target add/remove include/exclude
        with/without above/below over/under from/to left/right north/south east/west first/last
        next/last next/previous minimum/maximum least/most client/server master/replica
        primary/secondary primary/replica staging/production dev/production test/production
        male/female mother/father brother/sister son/daughter husband/wife aunt/uncle
        import/export upload/download encrypt/decrypt connect/disconnect lock/unlock
        visible/hidden stable/unstable safe/unsafe legal/illegal paid/unpaid paid/free
        manual/automatic synchronous/asynchronous local/remote online/offline summer/winter
        spring/autumn breakfast/dinner lunch/dinner breakfast/lunch vegetarian/vegan
        weekday/weekend weekdays/weekends yes/no hired/fired joined/left clear/jammed
        working/broken fixed/broken valid/invalid complete/incomplete gain/loss profit/loss
        lend/borrow teach/learn employer/employee landlord/tenant buyer/seller can/cannot
        must/may must/should hourly/daily daily/weekly weekly/monthly monthly/yearly
        daily/monthly weekly/yearly tea/coffee today/tomorrow yesterday/tomorrow today/yesterday
    """
    )
)

# Words that say the same in a statement. The first word of a line stands for all of it.
SYNONYMS: Final[tuple[str, ...]] = (
    "live reside residing home based dwell",
    "job profession occupation",
    "employ employer employed employee",
    "manager boss supervisor manage supervise report reports",
    "spouse married marry wife husband",
    "like enjoy fond prefer preferred prefers",
    "hate dislike loathe detest",
    "favorite favourite",
    "short brief concise",
    "detailed thorough",
    "use utilize utilise utilised using",
    "begin start commence kick starts",
    "finish complete end completed",
    "buy purchase acquire",
    "call invoke",
    "name called named title",
    "big large",
    "kid child children kids",
    "car vehicle automobile",
    "phone telephone",
    "photo picture photograph",
    "error failure",
    "schedule planned scheduled",
    "launch release ship",
    "store stores stored keep save persist",
    "send deliver",
    "meeting meet",
    "every each all everyone",
    "need require required must requires necessary",
    "should ought recommended",
    "allow permit allowed permitted",
    "forbid prohibit ban forbidden",
    "speak talk talks speaks",
    "own possess owns",
    "drive drives",
    "flat apartment",
    "doctor physician",
    "company firm",
    "customer client",
    "staff personnel",
    "document doc",
    "repository repo",
    "database db",
    "config configuration",
    "app application",
    "environment env",
    "production prod",
    "admin administrator",
    "info information",
    "max maximum",
    "min minimum",
    "wake up gets rise",
    "twice",
    "deploy deployment deployed rollout",
    "pay paid pays",
    "cost price",
    "holiday vacation",
    "movie film",
    "couch sofa",
    "trash rubbish",
    "elevator lift",
    "enable activate enabled",
    "disable deactivate disabled",
    "active enabled",
    "succeed successful successfully passed",
    "remove delete",
    "fix repair",
    "run execute",
    "help assist",
    "choose pick select chose picked",
    "responsible charge accountable",
    "allergy allergic",
    "weekend weekends",
    "birthday born",
)
# Leaving out one of these says nothing less, if the other statement has nothing in its place.
WEAK: Final = frozenset(
    words(
        """
        live work job profession name call named user's kind place located location currently
        employ have usually generally typically normally actually basically simply regularly
        regular hold held take place made set make uses use called own keep person date time
        clock o'clock sharp user scheduled schedule named run every
    """
    )
)
# Relations between two parties, by which party stands first in the plain active sentence.
RELATION_VERBS: Final[dict[str, tuple[str, int]]] = {
    "manage": ("manager", 1),
    "supervise": ("manager", 1),
    "lead": ("manager", 1),
    "report": ("manager", -1),
    "employ": ("employ", 1),
    "own": ("own", 1),
    "belong": ("own", -1),
    "teach": ("teacher", 1),
    "mentor": ("mentor", 1),
    "coach": ("mentor", 1),
}
RELATION_NOUNS: Final[dict[str, str]] = {
    **dict.fromkeys(("manager", "boss", "supervisor", "lead", "superior"), "manager"),
    "employer": "employ",
    "owner": "own",
    "teacher": "teacher",
    "mentor": "mentor",
    "coach": "mentor",
}
SYMMETRIC: Final = frozenset(
    words(
        """
        married spouse partner partners sibling siblings cousin cousins friend friends neighbor
        neighbors neighbour neighbours colleague colleagues twins together engaged same connected
        synced equal identical teammates roommates flatmates divorced
    """
    )
)

MONTHS: Final[dict[str, int]] = {
    **{
        name: number
        for number, name in enumerate(
            words(
                """
                    january february march april may june july august september october november
                    december
                """
            ),
            start=1,
        )
    },
    **{
        name: number
        for number, name in enumerate(
            words(
                """
                    jan feb mar apr may jun jul aug sep oct nov dec
                """
            ),
            start=1,
        )
    },
    "sept": 9,
}
WEEKDAYS: Final[dict[str, str]] = {
    alias: day
    for day, aliases in {
        "monday": "monday mondays",
        "tuesday": "tuesday tuesdays tues",
        "wednesday": "wednesday wednesdays weds",
        "thursday": "thursday thursdays thurs thur",
        "friday": "friday fridays",
        "saturday": "saturday saturdays",
        "sunday": "sunday sundays",
    }.items()
    for alias in aliases.split()
}
SHORT_WEEKDAYS: Final[dict[str, str]] = {
    "mon": "monday",
    "tue": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}
CARDINALS: Final[dict[str, int]] = {
    **{
        word: number
        for number, word in enumerate(
            words(
                """
                    zero one two three four five six seven eight nine ten eleven twelve thirteen
                    fourteen fifteen sixteen seventeen eighteen nineteen
                """
            )
        )
    },
    **{
        word: number * 10
        for number, word in enumerate(
            ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
        )
    },
}
SCALES: Final[dict[str, int]] = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}
ORDINALS: Final[dict[str, int]] = {
    word: number
    for number, word in enumerate(
        words(
            """
                first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
            """
        ),
        start=1,
    )
}
