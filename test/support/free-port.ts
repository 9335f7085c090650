import { createServer } from 'node:net';

// Below the ports that the kernel gives to outgoing connections and to listeners on port 0 (32768 and up on Linux, 49152
// on macOS): none of the tests' processes takes one of these by accident.
const FIRST = 10_240;
const LAST = 32_767;

const given = new Set<number>();

/** A port that is not in use, and that no other call in this process returns. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // On every address, so that a listener on any of them counts.
    const server = createServer().listen(port, () => server.close(() => resolve(true)));
    server.once('error', () => resolve(false));
  });
}
