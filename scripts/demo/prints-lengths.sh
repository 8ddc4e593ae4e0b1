#!/bin/sh
echo "  program: DB_PASSWORD is ${#DB_PASSWORD} bytes long, DB_URL is ${#DB_URL}"
echo "  program: variables of the vault's that it can see: $(env | grep -c '^VAULT_')"
