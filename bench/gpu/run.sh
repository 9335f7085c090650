#!/bin/sh
# Runs one part of the GPU kit, within nine minutes: sh run.sh 1|2|3
# OUT: where gpu-kit.json with the results is written, or gpu-kit-error.json if nothing runs; ./results if unset.
# KIT_WORK: where the kit is unpacked and models are written, 45 GB; ./work if unset.
started=$(date +%s)
case ${1-} in
1 | 2 | 3) ;;
*)
  echo "usage: sh run.sh 1|2|3" >&2
  exit 2
  ;;
esac
[ $# -eq 1 ] || {
  echo "run.sh has one argument: the part, 1, 2 or 3" >&2
  exit 2
}
kit=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
out=${OUT:-$kit/results}
work=${KIT_WORK:-$kit/work}
mkdir -p "$out" "$work" || exit 1
out=$(CDPATH='' cd -- "$out" && pwd -P) || exit 1
work=$(CDPATH='' cd -- "$work" && pwd -P) || exit 1

# What went wrong before Node.js could run, in a file of its own: gpu-kit.json may have results of earlier parts.
fail() {
  echo "$1" >&2
  printf '{ "error": "part %s: %s" }\n' "$part" "$1" >"$out/gpu-kit-error.json"
  exit 1
}
part=$1
program=$work/decider-kit

unpack() {
  # Until the end, nothing is unpacked: an interruption must not leave what another kit's note calls complete.
  rm -rf "$work/unpacked" "$program"
  if command -v xz >/dev/null; then
    tar -xJf "$kit/program.tar.xz" -C "$work"
  else
    python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1], "r:xz").extractall(sys.argv[2])' \
      "$kit/program.tar.xz" "$work"
  fi
}
rm -f "$out/gpu-kit-error.json"
# Another kit may have been unpacked here before; kit.json has the checksum of the archive.
if [ "$(cat "$work/unpacked" 2>/dev/null)" != "$(cat "$kit/kit.json")" ]; then
  unpack || fail "program.tar.xz cannot be unpacked: xz or python3 is needed, and space for 1 GB, or the file is damaged"
  cp "$kit/kit.json" "$work/unpacked" || fail "$work cannot be written"
fi

# The runtime of CUDA: that of the toolkit, or the one that Python packages have brought.
python_folders=$(python3 -c 'import glob, sys
for folder in sys.path: print(*glob.glob(folder + "/nvidia/*/lib"), sep="\n")' 2>/dev/null)
libraries=${LD_LIBRARY_PATH-}
for folder in /usr/local/cuda*/targets/x86_64-linux/lib /usr/local/cuda*/lib64 $python_folders; do
  for file in "$folder"/libcudart.so.* "$folder"/libcublas.so.*; do
    [ -e "$file" ] || continue
    libraries=${libraries:+$libraries:}$folder
    break
  done
done
if ! LD_LIBRARY_PATH=$libraries "$program/bin/node" --version >/dev/null 2>&1; then
  # The machine has no libstdc++, or an older one.
  libraries=$program/lib${libraries:+:$libraries}
  LD_LIBRARY_PATH=$libraries "$program/bin/node" --version >/dev/null 2>&1 ||
    fail "Node.js does not run here: Linux on x86-64 with glibc 2.34 or newer is needed"
fi
[ -z "$libraries" ] || export LD_LIBRARY_PATH="$libraries"
unset NODE_OPTIONS NODE_PATH

exec "$program/bin/node" "$program/dist/bench/gpu/run/main.js" \
  --part "$part" --kit "$kit" --work "$work" --out "$out" --started "$started"
