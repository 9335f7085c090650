/** A field that is `null` reads as one that was not sent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
