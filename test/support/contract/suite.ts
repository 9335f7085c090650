import type { Test } from 'tap';
import type { Service } from './service.js';

/** One test of the contract. */
export interface ContractTest {
  /** `<rule>: <what is checked>`; `map.ts` refers to the test by this name. */
  readonly name: string;
  readonly run: (t: Test, service: Service) => Promise<void>;
}

/** A minimal question, for tests about something else. */
export const ASK = { q: { type: 'noul', instructions: 'Is it?' } } as const;

export const rule = (name: string, run: ContractTest['run']): ContractTest => ({ name, run });
