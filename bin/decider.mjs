#!/usr/bin/env node
// The `decider` command. In a clone it first compiles what changed, so that no command runs stale code.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

// Without a handler, Node.js opens its debugger at this signal, on a port that all users of the machine reach. Here and
// not by a function of src/, because the rest takes a second to load. See src/base/close-debugger.ts.
process.on('SIGUSR1', () => {});

// A core dump would hold the master key and the texts of callers. Unlike a limit of its size, this also holds where dumps
// are piped to a program. The processes that this one starts inherit it. Only Linux has the file.
try {
  writeFileSync('/proc/self/coredump_filter', '0');
} catch {}

// The kernel drops a signal to process 1, as in a container, for which there is no handler. `serve` has its own.
if (process.pid === 1) {
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(128 + number));
  }
}

/** Loading the program takes more than a hundred at a time. */
const OPEN_FILES_MIN = 256;
const openFiles = openFilesMax();
if (openFiles < OPEN_FILES_MIN) {
  console.error(
    `The limit of open files is ${openFiles}, and at least ${OPEN_FILES_MIN} are needed. Raise it: ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit.`,
  );
  process.exit(1);
}

/** Infinity where the system does not say. Node has raised the soft limit to the hard one. */
function openFilesMax() {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const { BuildError, build, PROGRAM } = await import('../tools/build.mjs');

try {
  build(PROGRAM);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
const bundle = new URL('../dist/entries/cli/main.js', import.meta.url);
await import(existsSync(bundle) ? bundle.href : '../dist/src/cli/main.js');
