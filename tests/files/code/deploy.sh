#!/usr/bin/env bash
# Deploys the site.
set -euo pipefail

source ./lib/common.sh
. "lib/colors.sh"

readonly TARGET="/srv/site"
export RETRIES=3

# Prints a message to standard error.
log() {
  echo "$(date) $*" >&2
}

function upload {
  local from="$1"
  for attempt in $(seq "$RETRIES"); do
    if rsync -a "$from" "$TARGET"; then
      log "uploaded $from"
      return 0
    fi
  done
  fail "no upload"
}

main() {
  build_site
  upload public | tee upload.log
}

main "$@"
