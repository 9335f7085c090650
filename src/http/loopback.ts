import { isIPv4 } from 'node:net';

/** Whether a host to listen on is only reachable from this machine: 127.0.0.0/8, `::1` or `localhost`. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1') return true;
  return isIPv4(name) && name.startsWith('127.');
}
