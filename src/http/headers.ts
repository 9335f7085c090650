import type { HeaderList } from './transport/index.js';

export type { HeaderList } from './transport/index.js';

/** Every value of a field, in the order sent. `name` in lower case. */
export function valuesOf(headers: HeaderList, name: string): string[] {
  return headers.filter(([field]) => field === name).map(([, value]) => value.trim());
}
