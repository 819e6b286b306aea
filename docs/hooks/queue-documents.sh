#!/bin/sh
# Queues the Markdown files of a project that are new, changed or renamed since the last run, so that an
# agent takes them in (docs/toolsets.md). Needs curl and the tools that every POSIX system has.
#
#   COMMONPLACE_URL   address of the service, e.g. https://memory.example.com
#   COMMONPLACE_KEY   key of an agent that may write (tier read_write)
#   COMMONPLACE_BANK  slug or id of the bank
#
# Usage: queue-documents.sh [directory] [project]
# The directory is the present one and the project its name when left out. Hidden directories and
# node_modules are passed over. Paths are sent, and a checksum of each file; never its content.
# .commonplace-queued in the directory holds what was sent: paths and checksums. A file that can't be
# queued is named on standard error and tried again by the next run; the rest is queued.
set -eu
LC_ALL=C
export LC_ALL

directory=${1:-.}
cd "$directory"
project=${2:-$(basename "$(pwd)")}
: "${COMMONPLACE_URL:?is not set}" "${COMMONPLACE_KEY:?is not set}" "${COMMONPLACE_BANK:?is not set}"

sent=.commonplace-queued
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# JSON text of standard input, which holds one line.
quoted() {
    printf '"%s"' "$(sed -e 's/\\/\\\\/g' -e 's/"/\\"/g')"
}

# The documents of the file named, one JSON object a line: fails where the service won't have one of
# them, and ends the run where it can't be asked.
send() {
    {
        printf '{"documents":['
        paste -s -d , "$1"
        printf '],"project":%s}' "$(printf '%s' "$project" | quoted)"
    } >"$work/body"
    # The key goes in by standard input, so that no list of processes shows it.
    status=$(
        printf 'header = "Authorization: Bearer %s"\n' "$COMMONPLACE_KEY" |
            curl --config - --silent --show-error --max-time 30 --output "$work/answer" \
                --write-out '%{http_code}' --header 'Content-Type: application/json' \
                --data-binary "@$work/body" \
                "${COMMONPLACE_URL%/}/api/v1/banks/$COMMONPLACE_BANK/pending-documents"
    ) || exit 1
    case $status in
    2??) return 0 ;;
    400) return 1 ;;
    esac
    printf 'The service answered %s: %s\n' "$status" "$(cat "$work/answer")" >&2
    exit 1
}

# What waits to be sent; one by one where the service won't have it all.
flush() {
    if [ -s "$work/batch" ] && ! send "$work/batch"; then
        while IFS= read -r document && IFS= read -r line <&3; do
            printf '%s\n' "$document" >"$work/one"
            if ! send "$work/one"; then
                printf 'Not queued: %s\n' "${line#* * }" >&2
                printf '%s\n' "$line" >>"$work/refused"
            fi
        done <"$work/batch" 3<"$work/lines"
    fi
    : >"$work/batch"
    : >"$work/lines"
    number=0
}

: >"$work/refused"
find . -name '.?*' -prune -o -name node_modules -prune -o \
    -name '*[[:cntrl:]]*' \( -type d -o -name '*.md' \) -prune -exec sh -c \
    'for path do printf "Not queued, for a control character in its name: %s\n" "$path"; done' sh {} + >&2
find . -name '.?*' -prune -o -name node_modules -prune -o -name '*[[:cntrl:]]*' -prune -o \
    -type f -name '*.md' -exec cksum {} + >"$work/found" || true
sort -u "$work/found" >"$work/present"
if [ -e "$sent" ]; then sort -u "$sent" >"$work/before"; else : >"$work/before"; fi
comm -13 "$work/before" "$work/present" >"$work/changed"

flush
# A line is a checksum, a size and a path.
while IFS= read -r line; do
    sum=${line%% *} rest=${line#* }
    size=${rest%% *} path=${rest#* ./}
    printf '{"path":%s,"digest":"%s"}\n' "$(printf '%s' "$path" | quoted)" "$sum-$size" >>"$work/batch"
    printf '%s\n' "$line" >>"$work/lines"
    number=$((number + 1))
    if [ "$number" -eq 200 ]; then flush; fi
done <"$work/changed"
flush
comm -23 "$work/present" "$work/refused" >"$work/kept"
cp "$work/kept" "$sent"
