#!/usr/bin/env bash
# Installs the program as its users do, in two ways, and asks each server one question: a clone without development
# dependencies that `npm start` runs, and a package that another project depends on. Ends with 1 where one fails.
# Takes about four minutes: both compile the addon.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
# If the compiler is behind ccache: paths below this folder are compared without it.
export CCACHE_BASEDIR=$folder
pid=
end() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap end EXIT

# serve COMMAND…: starts a server, asks it a question, sends SIGTERM to what was started.
serve() {
  local log=$folder/log token url status=0
  : >"$log"
  DECIDER_PORT=0 DECIDER_DATA=$(mktemp -d -p "$folder") "$@" >"$log" 2>&1 &
  pid=$!
  for _ in $(seq 600); do
    if grep -q '^try: ' "$log" || ! kill -0 "$pid" 2>/dev/null; then break; fi
    sleep 0.1
  done
  token=$(sed -n 's/^token: //p' "$log")
  url=$(sed -n 's/^listening on //p' "$log")
  if ! curl -sS --fail --max-time 60 "$url/v1/decide" -H "Authorization: Bearer $token" \
    -H 'Content-Type: application/json' \
    -d '{"state":"x","questions":{"ready":{"type":"noul","instructions":"Is it ready?"}}}'; then
    cat "$log"
    return 1
  fi
  echo
  kill "$pid"
  wait "$pid" || status=$?
  pid=
  if curl -s --max-time 5 "$url/health" >/dev/null; then
    echo "the server still runs after SIGTERM to: $*"
    return 1
  fi
  [ "$status" -eq 0 ] || echo "ended with $status: $*"
  return "$status"
}

echo '# a clone: npm ci --omit=dev && npm start'
git clone --quiet "$root" "$folder/clone"
cd "$folder/clone"
npm ci --omit=dev
[ ! -e node_modules/typescript ]
serve npm start

echo '# a package: npm pack, npm install, decider serve'
package=$(npm pack --silent --pack-destination "$folder" | tail -n 1)
mkdir "$folder/project"
cd "$folder/project"
npm init --yes >/dev/null
npm install "$folder/$package"
serve node_modules/.bin/decider serve
[ "$(node_modules/.bin/decider --version)" = "$(node -p 'require("decider/package.json").version')" ]
echo '# both work'
