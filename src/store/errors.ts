/** The data folder cannot be used, or a value in it is damaged; the message names which and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
