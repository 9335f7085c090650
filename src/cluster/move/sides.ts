import type { Database } from '../../postgres/index.js';

/** The two places of data, and the key that both are encrypted with. */
export interface Sides {
  /** The data folder. */
  readonly folder: string;
  readonly database: Database;
  readonly masterKey: Buffer;
}
