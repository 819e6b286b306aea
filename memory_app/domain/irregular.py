"""English words whose forms no suffix rule joins: `went` is `go`, `children` is `child`.

The stemmer of the database cuts suffixes only. Both sides pass through this table, so a form that
is also a word of its own (found, left) loses nothing.
"""

_TABLE = """
awake awoke awoken; become became; begin began begun; bend bent; bet; bind bound; bite bit
bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build
built; burn burnt; buy bought; catch caught; choose chose chosen; come came; creep crept;
deal dealt; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven;
eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled;
fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid
hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led; lean leant;
learn learnt; leave left; lend lent; lie lain; light lit; lose lost; make made; mean meant;
meet met; pay paid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said;
see saw seen; seek sought; sell sold; send sent; shake shook shaken; shine shone; shoot
shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep
slept; slide slid; speak spoke spoken; spend spent; spin spun; stand stood; steal stole
stolen; stick stuck; strike struck; swear swore sworn; sweep swept; swim swam swum; swing
swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw
thrown; understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept;
win won; withdraw withdrew withdrawn; write wrote written; child children; person people;
man men; woman women; foot feet; tooth teeth; mouse mice; goose geese; life lives; wife
wives; knife knives; leaf leaves; half halves; shelf shelves
"""

BASE_FORMS = {
    form: forms[0] for forms in (row.split() for row in _TABLE.split(";")) for form in forms[1:]
}
