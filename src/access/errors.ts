/** An administrator asked for what cannot be; the message names the argument or the thing. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}
