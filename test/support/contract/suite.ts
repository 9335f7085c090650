import type { Test } from 'tap';
import type { Service } from './service.js';

/** One test of the contract: which rule, what of it in our words, and how it is shown. */
export interface ContractTest {
  /** `<rule>: <words>`, which is how `map.ts` calls it. */
  readonly name: string;
  readonly run: (t: Test, service: Service) => Promise<void>;
}

/** A question of the least kind, for tests about something else. */
export const ASK = { q: { type: 'noul', instructions: 'Is it?' } } as const;

export const rule = (name: string, run: ContractTest['run']): ContractTest => ({ name, run });
