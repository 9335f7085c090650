import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

// Below the ports that the kernel gives to outgoing connections and to listeners on port 0 (32768 and up on Linux, 49152
// on macOS): none of the tests' processes takes one of these by accident.
const FIRST = 10_240;
const LAST = 32_767;
/** Between a port and the UDP port that reserves it: that of the same number belongs to a server of HTTP/3, such as Caddy. */
const RESERVED_FROM = 32_768;

/** A port that is not in use, and that no other call returns, also in another process, until this process ends. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    // Reserved before it is tried: a port of another process is not bound even for a moment, in which its server may start.
    const release = await reserve(port);
    if (release === null) continue;
    if (await isFree(port)) return port;
    release();
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // On every address, so that a listener on any of them counts.
    const server = createServer().listen(port, () => server.close(() => resolve(true)));
    server.once('error', () => resolve(false));
  });
}

/**
 * Binds the UDP port that stands for a port, and returns what releases it. Null: another call has bound it, or, rarely, an
 * outgoing connection.
 */
function reserve(port: number): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => socket.close(() => resolve(null)));
    socket.bind(port + RESERVED_FROM, '127.0.0.1', () => {
      socket.unref();
      resolve(() => socket.close());
    });
  });
}
