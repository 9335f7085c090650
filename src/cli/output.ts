/** Options of every command. */
export interface Options {
  readonly config?: string;
  readonly json?: boolean;
}

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Milliseconds since 1970 in ISO 8601: `2026-11-21T00:00:00.000Z`; null stays null. */
export function showInstant(instant: number): string;
export function showInstant(instant: number | null): string | null;
export function showInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
