#!/usr/bin/env bash
# Docker-style: as root it hands over to the user, then initialises, then becomes the server.
set -Eeo pipefail
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$PGDATA"
	chown -R postgres "$PGDATA"
	exec gosu postgres "$BASH_SOURCE" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	initdb --username=postgres --auth=scram-sha-256 --no-sync --pwfile=<(printf '%s\n' "$DB_PASSWORD") >&2
fi
exec "$@"
