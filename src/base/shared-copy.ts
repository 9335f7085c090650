/** A copy in shared memory: threads read it without another copy, and sending it to one takes it from nobody. */
export function sharedCopy(bytes: Uint8Array): Buffer {
  const shared = Buffer.from(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
