#!/bin/sh
# Queues the Markdown files of a project that have changed since the last run, so that an agent takes
# them in (docs/toolsets.md). Needs curl and the tools that every POSIX system has.
#
#   COMMONPLACE_URL   address of the service, e.g. https://memory.example.com
#   COMMONPLACE_KEY   key of an agent that may write (tier read_write)
#   COMMONPLACE_BANK  slug or id of the bank
#
# Usage: queue-documents.sh [directory] [project]
# The directory is the present one and the project its name when left out. Hidden directories and
# node_modules are passed over. Paths are sent, and a checksum of each file; never its content.
set -eu

directory=${1:-.}
cd "$directory"
project=${2:-$(basename "$(pwd)")}
: "${COMMONPLACE_URL:?is not set}" "${COMMONPLACE_KEY:?is not set}" "${COMMONPLACE_BANK:?is not set}"

stamp=.commonplace-queued
begun=$(mktemp)
changed=$(mktemp)
body=$(mktemp)
trap 'rm -f "$begun" "$changed" "$body"' EXIT

# JSON text of standard input, which holds one line.
quoted() {
    printf '"%s"' "$(sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g')"
}

# One request with what stands in $body so far.
send() {
    printf '],"project":%s}' "$(printf '%s' "$project" | quoted)" >>"$body"
    # The key goes in by standard input, so that no list of processes shows it.
    printf 'header = "Authorization: Bearer %s"\n' "$COMMONPLACE_KEY" |
        curl --config - --fail-with-body --silent --show-error --max-time 30 --output /dev/null \
            --header 'Content-Type: application/json' --data-binary "@$body" \
            "${COMMONPLACE_URL%/}/api/v1/banks/$COMMONPLACE_BANK/pending-documents"
}

if [ -e "$stamp" ]; then
    find . -name '.?*' -prune -o -name node_modules -prune -o \
        -type f -name '*.md' -newer "$stamp" -print >"$changed"
else
    find . -name '.?*' -prune -o -name node_modules -prune -o -type f -name '*.md' -print >"$changed"
fi

number=0
while IFS= read -r file; do
    [ -f "$file" ] || continue # half of a name that holds a line break
    if [ "$number" -eq 0 ]; then printf '{"documents":[' >"$body"; else printf ',' >>"$body"; fi
    digest=$(cksum <"$file" | tr ' ' '-')
    printf '{"path":%s,"digest":"%s"}' "$(printf '%s' "${file#./}" | quoted)" "$digest" >>"$body"
    number=$((number + 1))
    if [ "$number" -eq 200 ]; then
        send
        number=0
    fi
done <"$changed"
if [ "$number" -gt 0 ]; then send; fi
# What was written while this ran is found by the next run.
cp -p "$begun" "$stamp"
