#!/bin/sh
# Starts decider with the Node.js of this folder. Needs a shell and, behind a symbolic link, readlink.
needed=@GLIBC@
loader=/lib64/ld-linux-x86-64.so.2

fail() {
  echo "$1" >&2
  exit 1
}

# The folder of this script; a link to the script may be anywhere.
script=$0
case $script in
*/*) ;;
*) script=./$script ;;
esac
while [ -L "$script" ]; do
  target=$(readlink "$script") || exit 1
  case $target in
  /*) script=$target ;;
  *) script=${script%/*}/$target ;;
  esac
done
folder=$(CDPATH='' cd -- "${script%/*}/" && pwd -P) || exit 1

[ -e "$loader" ] ||
  fail "decider needs Linux on x86-64 with glibc $needed or newer. This host has no $loader: its processor or its C library (such as musl) is another one."

# The loader prints its version from glibc 2.33 on; the programs of glibc may be missing.
version=$("$loader" --version 2>/dev/null) ||
  version=$(getconf GNU_LIBC_VERSION 2>/dev/null) ||
  version=$(ldd --version 2>/dev/null) ||
  version=
version=${version%%
*}
version=${version%.}
version=${version##* }
case $version in
2.[0-9]*)
  minor=${version#2.}
  [ "${minor%%[!0-9]*}" -ge "${needed#2.}" ] ||
    fail "decider needs glibc $needed or newer, and this host has glibc $version."
  ;;
esac

# These are meant for another Node.js.
unset NODE_OPTIONS NODE_PATH

# Where the host says that libraries are, as for CUDA. They would be used before those of the bundle with the same name.
libraries=
rest=${LD_LIBRARY_PATH-}
while [ -n "$rest" ]; do
  entry=${rest%%[:;]*}
  rest=${rest#"$entry"}
  rest=${rest#[:;]}
  for file in "$entry"/libggml*.so* "$entry"/libllama*.so* "$entry"/libvips*.so*; do
    [ -e "$file" ] && continue 2
  done
  [ -z "$entry" ] || libraries=$libraries${libraries:+:}$entry
done

# Whether the loader finds the libraries of Node.js and of the addon, in versions that they can use.
missing=
resolves() {
  for file in bin/node native/build/decider-cpu.node; do
    found=$(LD_LIBRARY_PATH=$1 LD_TRACE_LOADED_OBJECTS=1 "$loader" "$folder/$file" 2>&1)
    case $found in
    *'not found'*) missing=$found ;;
    *'libc.so.6 => '*) continue ;;
    *) missing=$found ;;
    esac
    return 1
  done
}
if ! resolves "$libraries"; then
  # The host has no libstdc++, or an older one.
  libraries=$folder/lib${libraries:+:$libraries}
  if ! resolves "$libraries"; then
    case $missing in
    *'not found'*)
      before=${missing%%not found*}
      after=${missing#"$before"}
      missing=${before##*
}${after%%
*}
      ;;
    esac
    fail "decider needs glibc $needed or newer with its libraries, and cannot be loaded on this host: ${missing#"	"}"
  fi
fi
if [ -n "$libraries" ]; then
  export LD_LIBRARY_PATH="$libraries"
else
  unset LD_LIBRARY_PATH
fi

exec "$folder/bin/node" "$folder/bin/decider.mjs" "$@"
