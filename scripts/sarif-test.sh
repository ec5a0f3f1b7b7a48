#!/bin/sh
# Checks that code-scanning sites take our SARIF, with Microsoft's multitool and its rules for GitHub.
#
#   scripts/sarif-test.sh BOP MULTITOOL [FILE.sarif…]
#
# MULTITOOL is the program `Sarif.Multitool` of npm's @microsoft/sarif-multitool. Errors and warnings fail; notes
# ("consider …") and addresses that cannot be reached from here do not.
set -eu
bop=$(realpath "$1") tool=$(realpath "$2")
shift 2
# As seen from here; the work is done elsewhere.
for file; do
  shift
  set -- "$@" "$(realpath "$file")"
done
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
examples=$(realpath "$(dirname "$0")/../examples")
cd "$folder"
cp "$examples/lock.bp" "$examples/gc.c" .
cat >leak.i <<'END'
void *malloc(unsigned long n); void free(void *p);
int f(int n) { char *p = malloc(9); if (n) return 1; free(p); return 0; }
int main(int argc, char **argv) { int *q = malloc(4); if (argc > 1) free(q); free(q); return f(argc); }
END
make() { "$bop" check "$@" --format sarif || [ $? -ne 2 ]; }
make lock.bp >assert.sarif
make lock.bp --reach-all --terminates --ltl 'G !locked' --reach :7 >many.sarif
make lock.bp --assert --trace none >placeless.sarif
make leak.i --rule memory >rules.sarif
make leak.i --rule memory --reach-all --sere 'never {call(free); true[*]; call(free)}' >skeleton.sarif
make lock.bp --steps 1 --engine explicit >unknown.sarif
for file in ./*.sarif "$@"; do
  out=$("$tool" validate "$file" --rule-kind 'Sarif;Ghas' --level 'Error;Warning' --kind Fail --max-file-size-in-kb 200000 2>&1 || true)
  case $out in
    *'Analysis completed successfully'*) ;;
    *) printf '%s\n' "$out"; exit 1 ;;
  esac
  wrong=$(printf '%s\n' "$out" | grep -E ': (error|warning) ' || true)
  if [ -n "$wrong" ]; then
    printf '%s:\n%s\n' "$file" "$wrong"
    exit 1
  fi
done
printf 'GitHub takes all of it\n'
