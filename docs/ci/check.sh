#!/bin/sh
# Checks a C project with bop, for continuous integration.
#
#   check.sh [FILE.c…]
#
# With files: these. Without: those of $BOP_DATABASE (compile_commands.json).
#   BOP            the command (bop)
#   BOP_RULES      rules by name or file, separated by blanks (memory file descriptor)
#   BOP_FLAGS      flags for the preprocessor
#   BOP_BASELINE   a file of known findings, if it is there: only new ones fail (bop-baseline.json)
#   BOP_SARIF      where the report goes for code-scanning sites; empty: nowhere
#   BOP_HTML       where the page goes; empty: nowhere
#   BOP_TIMEOUT    the limit (10m)
# Exit codes are those of bop: 1 new findings, 2 bad input, 3 not found out; BOP_ALLOW_UNKNOWN=1 makes 3 a 0.
set -u
bop=${BOP:-bop}
baseline=${BOP_BASELINE:-bop-baseline.json}
flags=${BOP_FLAGS:-}
files=
for file; do files="$files $file"; done
set -- check --timeout "${BOP_TIMEOUT:-10m}" --allow-incomplete
for rule in ${BOP_RULES:-memory file descriptor}; do set -- "$@" --rule "$rule"; done
if [ -f "$baseline" ]; then set -- "$@" --baseline "$baseline"; fi
if [ -z "$files" ]; then
  set -- "$@" --compile-commands "${BOP_DATABASE:-compile_commands.json}"
fi
# Flags and files are words; none of ours has a blank in it.
run() { "$bop" "$@" $files ${flags:+-- $flags}; }
status=0
run "$@" --format gcc || status=$?
if [ "$status" -eq 2 ]; then exit 2; fi
if [ -n "${BOP_SARIF:-}" ]; then run "$@" --format sarif -o "$BOP_SARIF" -q || true; fi
if [ -n "${BOP_HTML:-}" ]; then run "$@" --format html -o "$BOP_HTML" -q || true; fi
if [ "$status" -eq 3 ] && [ "${BOP_ALLOW_UNKNOWN:-0}" = 1 ]; then status=0; fi
exit "$status"
