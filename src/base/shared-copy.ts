/** A copy in shared memory. Threads read it without another copy, and it stays usable here after it was sent to one. */
export function sharedCopy(bytes: Uint8Array): Buffer {
  const shared = Buffer.from(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
