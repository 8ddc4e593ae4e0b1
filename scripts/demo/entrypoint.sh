#!/bin/sh
# As images have them: looks around, then becomes the program.
echo "  script: sees DB_PASSWORD of ${#DB_PASSWORD} bytes, and $(env | grep -c '^VAULT_') variables of the vault's"
exec "$@"
