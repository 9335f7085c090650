import tap from 'tap';
import type { TransportName } from '../../../src/http/index.js';
import { TESTS } from '../../contract/all.js';
import { uwsMissing } from '../http/serving.js';
import { LONG } from '../scale.js';
import { startService } from './service.js';

/** Names of tests that run before the others, as a JSON array: a mutation is noticed sooner. */
const FIRST: readonly string[] = JSON.parse(process.env.CONTRACT_FIRST ?? '[]');

/**
 * Runs the tests of the contract on one transport, against one server: all of them on Node's, those that check HTTP
 * on the other; at full scale all of them on both.
 */
export async function runContract(transport: TransportName): Promise<void> {
  const skip = transport === 'uws' ? uwsMissing : false;
  const service = skip === false ? await startService(tap, transport) : undefined;
  const tests = LONG || transport === 'node' ? TESTS : TESTS.filter(({ http }) => http);
  const first = tests.filter(({ name }) => FIRST.includes(name));
  for (const { name, run } of new Set([...first, ...tests])) {
    tap.test(`${name} (${transport})`, { skip }, async (t) => {
      if (service !== undefined) await run(t, service);
    });
  }
}
