#!/bin/sh
# Puts the pinned Bun into the cache and prints its path. The one script that runs before there is
# a Bun: everything after it is TypeScript.
set -eu

version=1.4.5
# sha256 of bin/bun in @oven/bun-linux-x64@1.4.5
sha256=f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083
cache=${XDG_CACHE_HOME:-$HOME/.cache}/svc
bun=$cache/bun-$version/bun

if [ ! -x "$bun" ]; then
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/bun-$version.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  echo "fetching bun $version" >&2
  # No install scripts: the binary is taken from the platform's package as it was published.
  if command -v npm >/dev/null; then
    npm install --silent --no-save --ignore-scripts --prefix "$fresh" "@oven/bun-linux-x64@$version" >&2 || {
      echo "bootstrap: npm could not fetch @oven/bun-linux-x64@$version: npm view @oven/bun-linux-x64@$version says why" >&2
      exit 1
    }
  elif command -v bun >/dev/null; then
    (cd "$fresh" && echo '{}' > package.json && bun add --silent --ignore-scripts "@oven/bun-linux-x64@$version" >&2)
  else
    echo "bootstrap: neither npm nor bun found: apt-get install npm" >&2
    exit 1
  fi
  found=$fresh/node_modules/@oven/bun-linux-x64/bin/bun
  echo "$sha256  $found" | sha256sum --check --quiet >&2
  chmod 755 "$found"
  mkdir -p "$cache/bun-$version"
  # The first of two at once wins: a runtime that runs already must not be moved away.
  ln "$found" "$bun" 2>/dev/null || [ -x "$bun" ]
fi
echo "$bun"
