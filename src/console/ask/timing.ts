/** A phase of `Server-Timing` (contract 4.1 `Server-Timing`). */
export interface Phase {
  readonly name: string;
  readonly ms: number;
}

/** The phases of a `Server-Timing` header, in its order; what cannot be read is left out. */
export function phasesOf(header: string | null): Phase[] {
  return (header ?? '').split(',').flatMap((entry) => {
    const [, name, digits] = /^\s*([\w-]+)\s*;\s*dur=([\d.]+)/.exec(entry) ?? [];
    return name === undefined ? [] : [{ name, ms: Number(digits) }];
  });
}
