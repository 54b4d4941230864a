#!/bin/sh
# Restore a copy of backup.sh into a database that has no tables yet: deploy/backup/restore.sh COPY DATABASE
#
#   deploy/backup/restore.sh palio-20260304T050607Z.db sqlite:////var/lib/palio/palio.db
#   deploy/backup/restore.sh palio-20260304T050607Z.dump postgresql://palio:PASSWORD@HOST/palio
set -eu
umask 077
[ $# -eq 2 ] || { echo "usage: restore.sh COPY DATABASE" >&2; exit 2; }
copy=$1 database=$2
[ -s "$copy" ] || { echo "restore: there is no copy at $copy" >&2; exit 1; }

case $database in
sqlite:///*)
    file=${database#sqlite:///}
    for each in "$file" "$file-wal" "$file-shm"; do
        [ ! -e "$each" ] || { echo "restore: $each is there; stop the server and move it away first" >&2; exit 1; }
    done
    cp "$copy" "$file.part"
    sync "$file.part"
    mv "$file.part" "$file"
    ;;
postgresql://*)
    pg_restore --exit-on-error --single-transaction --no-owner --dbname="$database" "$copy"
    ;;
*)
    echo "restore: $database is neither sqlite:///FILE nor postgresql://..." >&2
    exit 1
    ;;
esac
echo "restored; now check it: palio verify --db '$database'"
