import type { Test } from 'tap';
import type { Service } from './service.js';

/** One test of the contract. */
export interface ContractTest {
  /** `<rule>: <what is checked>`; `map.ts` refers to the test by this name. */
  readonly name: string;
  readonly run: (t: Test, service: Service) => Promise<void>;
  /** Whether it checks what a transport does, so that `npm test` runs it on both. */
  readonly http: boolean;
}

/** A minimal question, for tests about something else. */
export const ASK = { q: { type: 'noul', instructions: 'Is it?' } } as const;

export const rule = (name: string, run: ContractTest['run']): ContractTest => ({ name, run, http: false });

/** A rule about requests and responses as HTTP carries them. */
export const httpRule = (name: string, run: ContractTest['run']): ContractTest => ({ name, run, http: true });
