/** The server cannot start as configured; the message names what to change. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
