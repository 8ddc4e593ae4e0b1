#!/bin/sh
# An entrypoint as images have them: looks at its surroundings, then becomes its arguments.
set -eu
test -n "${DB_PASSWORD:-}" || echo "entry.sh: no DB_PASSWORD" >&2
exec /bin/teller "$@"
