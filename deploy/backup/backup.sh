#!/bin/sh
# Back up the database while servers write to it, check the copy, and delete copies older than KEEP_DAYS.
#
#   PALIO_DB=sqlite:////var/lib/palio/palio.db BACKUPS=/var/backups/palio deploy/backup/backup.sh
#
# Prints the file. SQLite needs the program sqlite3, PostgreSQL its own pg_dump and pg_restore, as new as the server.
set -eu
umask 077
: "${PALIO_DB:?name the database, as sqlite:////var/lib/palio/palio.db or postgresql://palio:PASSWORD@HOST/palio}"
: "${BACKUPS:?name the folder for copies, best on another disk}"
mkdir -p "$BACKUPS"
copy=$BACKUPS/palio-$(date -u +%Y%m%dT%H%M%SZ)

case $PALIO_DB in
sqlite:///*)
    file=${PALIO_DB#sqlite:///}
    [ -s "$file" ] || { echo "backup: there is no database at $file; set PALIO_DB" >&2; exit 1; }
    copy=$copy.db
    trap 'rm -f "$copy.part"' EXIT
    sqlite3 -cmd '.timeout 60000' "$file" "VACUUM INTO '$copy.part'" # one read transaction, beside all writers
    checked=$(sqlite3 "$copy.part" 'PRAGMA integrity_check')
    [ "$checked" = ok ] || { echo "backup: the copy is damaged: $checked; run palio verify" >&2; exit 1; }
    ;;
postgresql://*)
    copy=$copy.dump
    trap 'rm -f "$copy.part"' EXIT
    pg_dump --format=custom --file="$copy.part" "$PALIO_DB"
    pg_restore --file=/dev/null "$copy.part" # reads all of it
    ;;
*)
    echo "backup: PALIO_DB is neither sqlite:///FILE nor postgresql://..." >&2
    exit 1
    ;;
esac

sync "$copy.part"
mv "$copy.part" "$copy"
find "$BACKUPS" -name 'palio-*' -type f -mtime +"${KEEP_DAYS:-30}" -delete # only after a good one
echo "$copy"
