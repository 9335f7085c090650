import tap from 'tap';
import type { TransportName } from '../../../src/http/index.js';
import { TESTS } from '../../contract/all.js';
import { uwsMissing } from '../http/serving.js';
import { NEEDS_POSTGRES } from '../postgres.js';
import { LONG } from '../scale.js';
import { FOLDER_ONLY } from './folder-only.js';
import { type Place, startService } from './service.js';

/** Names of tests that run before the others, as a JSON array: a mutation is noticed sooner. */
const FIRST: readonly string[] = JSON.parse(process.env.CONTRACT_FIRST ?? '[]');

/**
 * Runs the tests of the contract on one transport, against one server: all of them on Node's, those that check HTTP
 * on the other; at full scale all of them on both. With a database, without those of `FOLDER_ONLY`.
 */
export async function runContract(transport: TransportName, place: Place = 'folder'): Promise<void> {
  const missing = place === 'database' ? (NEEDS_POSTGRES.skip ?? false) : false;
  const skip = transport === 'uws' ? uwsMissing : missing;
  const service = skip === false ? await startService(tap, transport, place) : undefined;
  const chosen = LONG || transport === 'node' ? TESTS : TESTS.filter(({ http }) => http);
  const tests = chosen.filter(({ name }) => place === 'folder' || !(name in FOLDER_ONLY));
  const first = tests.filter(({ name }) => FIRST.includes(name));
  for (const { name, run } of new Set([...first, ...tests])) {
    tap.test(`${name} (${place === 'folder' ? transport : place})`, { skip }, async (t) => {
      if (service !== undefined) await run(t, service);
    });
  }
}
