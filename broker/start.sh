#!/bin/sh
# Starts the broker: the server's password comes from SERVER_PASSWORD, the one of each bot from NAME_SECRET (ALPHA_SECRET
# is alpha's). More bots go into a file `passwords` beside this one, a line `name:password` each. With SERVERS_PORT there
# is a listener for any number of servers that share the work, all with the server's password.
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
    printf 'server:%s\n' "${SERVER_PASSWORD:?is the password that the server gives to the broker}"
    env | while IFS= read -r line; do
        case ${line%%=*} in
            *_SECRET) printf '%s:%s\n' "$(printf %s "${line%%_SECRET=*}" | tr 'A-Z_' 'a-z-')" "${line#*=}" ;;
        esac
    done
    if [ -f "$here/passwords" ]; then cat "$here/passwords"; fi
} > "$run/passwords"
mosquitto_passwd -U "$run/passwords" # from now on only hashes

sed -e "s|@RUN@|$run|" -e "s|@HOST@|${HOST:-0.0.0.0}|" -e "s|@PORT@|${PORT:-1883}|" \
    -e "s|@VIEWER_PORT@|${VIEWER_PORT:-1884}|" "$here/mosquitto.conf" > "$run/mosquitto.conf"
if [ -n "${SERVERS_PORT:-}" ]; then
    grep '^server:' "$run/passwords" > "$run/server-passwords"
    sed -e "s|@RUN@|$run|" -e "s|@HOST@|${HOST:-0.0.0.0}|" -e "s|@SERVERS_PORT@|$SERVERS_PORT|" \
        "$here/servers.conf" >> "$run/mosquitto.conf"
fi
if [ "$(id -u)" = 0 ]; then chown -R mosquitto "$run"; fi # whom the broker becomes when root starts it
exec mosquitto -c "$run/mosquitto.conf"
