/**
 * Makes this process ignore SIGUSR1, for which Node.js otherwise opens its debugger at 127.0.0.1:9229: every user of the
 * machine could run code in the process there. The first call of every process that this program starts, because a
 * signal to a group of processes or to a service reaches all of them. `bin/decider.mjs` does the same.
 * `--disable-sigusr1` is not in every supported version of Node.js.
 */
export function closeDebugger(): void {
  process.on('SIGUSR1', () => {});
}
