"""The keyboard shortcuts as the help sheet lists them; `static/js/shortcuts.js` acts on them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    keys: tuple[str, ...]
    does: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    title: str
    entries: tuple[Entry, ...]


GROUPS = (
    Group(
        title="Anywhere",
        entries=(
            Entry(keys=("Ctrl", "K"), does="Search or jump to"),
            Entry(keys=("/",), does="Search this page"),
            Entry(keys=("U",), does="Undo the last change"),
            Entry(keys=("?",), does="This list"),
            Entry(keys=("Esc",), does="Close what is open"),
        ),
    ),
    Group(
        title="Go to",
        entries=(
            Entry(keys=("G", "M"), does="Memories"),
            Entry(keys=("G", "G"), does="Graph"),
            Entry(keys=("G", "E"), does="Entities"),
            Entry(keys=("G", "R"), does="Review"),
            Entry(keys=("G", "A"), does="Activity"),
            Entry(keys=("G", "D"), does="Ledger"),
            Entry(keys=("G", "U"), does="Usage and health"),
            Entry(keys=("G", "L"), does="Recall lab"),
            Entry(keys=("G", "K"), does="Knowledge gaps"),
            Entry(keys=("G", "T"), does="Memory tests"),
            Entry(keys=("G", "I"), does="Import"),
            Entry(keys=("G", "C"), does="Connect"),
            Entry(keys=("G", "S"), does="Settings of the bank"),
            Entry(keys=("G", "Y"), does="Agents and keys"),
            Entry(keys=("G", "P"), does="People"),
            Entry(keys=("G", "B"), does="Banks"),
            Entry(keys=("G", "O"), does="Organization"),
        ),
    ),
    Group(
        title="In a list",
        entries=(
            Entry(keys=("J",), does="Next memory"),
            Entry(keys=("K",), does="Previous memory"),
            Entry(keys=("Enter",), does="Open"),
            Entry(keys=("X",), does="Select or unselect"),
            Entry(keys=("Shift", "X"), does="Select all in between"),
        ),
    ),
    Group(
        title="On a memory",
        entries=(
            Entry(keys=("E",), does="Edit"),
            Entry(keys=("P",), does="Pin or unpin"),
            Entry(keys=("#",), does="Delete"),
            Entry(keys=("1", "2", "3"), does="Decide a review"),
            Entry(keys=("S",), does="Skip a review"),
        ),
    ),
)
