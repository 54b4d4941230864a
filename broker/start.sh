#!/bin/sh
# Starts the broker: the password of all SERVERS (names with blanks between, by default `server`) comes from
# SERVER_PASSWORD, the one of each bot from NAME_SECRET (ALPHA_SECRET is alpha's). More bots go into a file `passwords` beside this one, a line `name:password` each.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
run=${RUN:-/tmp/palio-broker}
PATH=$PATH:/usr/sbin:/usr/local/sbin

# Mosquitto would cut a password at a colon, and the other signs would spoil mqtt://NAME:PASSWORD@HOST.
env | while IFS= read -r line; do
    case $line in
        SERVER_PASSWORD=*[:@/?#%\ ]* | *_SECRET=*[:@/?#%\ ]*)
            echo "${line%%=*} has one of the signs : @ / ? # % or a space; choose one without" >&2
            exit 1
            ;;
    esac
done

umask 077
mkdir -p "$run"
cp "$here"/*.acl "$run"
{
    for name in ${SERVERS:-server}; do
        printf '%s:%s\n' "$name" "${SERVER_PASSWORD:?is the password that the servers give to the broker}"
    done
    env | while IFS= read -r line; do
        case ${line%%=*} in
            *_SECRET) printf '%s:%s\n' "$(printf %s "${line%%_SECRET=*}" | tr 'A-Z_' 'a-z-')" "${line#*=}" ;;
        esac
    done
    if [ -f "$here/passwords" ]; then cat "$here/passwords"; fi
} > "$run/passwords"
for name in ${SERVERS:-server}; do # each under a name of its own: the broker lets one client in for each
    printf '\nuser %s\ntopic readwrite #\n' "$name" >> "$run/bots.acl"
done
mosquitto_passwd -U "$run/passwords" # from now on only hashes

sed -e "s|@RUN@|$run|" -e "s|@HOST@|${HOST:-0.0.0.0}|" -e "s|@PORT@|${PORT:-1883}|" \
    -e "s|@VIEWER_PORT@|${VIEWER_PORT:-1884}|" "$here/mosquitto.conf" > "$run/mosquitto.conf"
if [ "$(id -u)" = 0 ]; then chown -R mosquitto "$run"; fi # whom the broker becomes when root starts it
exec mosquitto -c "$run/mosquitto.conf"
