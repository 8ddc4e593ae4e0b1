#!/bin/sh
# Proves by a digest that it has its secrets, and stays until it is told to end.
# With the word `prove` it only proves.
proof="$CHAIN_PROOFS/$$"
printf '%s\n%s' "$DB_PASSWORD" "$API_KEY" | sha256sum | cut -c 1-64 >"$proof.new"
mv "$proof.new" "$proof"
if [ "$1" != prove ]; then
	while [ ! -e "$CHAIN_END" ]; do sleep 0.05; done
	exit "${CHAIN_EXIT:-0}"
fi
