import tap from 'tap';
import type { TransportName } from '../../../src/http/index.js';
import { STORED_TESTS, TESTS } from '../../contract/all.js';
import { uwsMissing } from '../http/serving.js';
import { NEEDS_POSTGRES } from '../postgres.js';
import { LONG } from '../scale.js';
import { FOLDER_ONLY } from './folder-only.js';
import { type Place, startService } from './service.js';

/** Names of tests that run before the others, as a JSON array: a mutation is noticed sooner. */
const FIRST: readonly string[] = JSON.parse(process.env.CONTRACT_FIRST ?? '[]');

/**
 * Runs the tests of the contract against one server. With a data folder: all of them on Node's transport, those that check
 * HTTP on the other. With a database: those about what is stored; at full scale all of them, but for `FOLDER_ONLY`, on the
 * other transport.
 */
export async function runContract(transport: TransportName, place: Place = 'folder'): Promise<void> {
  const missing = place === 'database' ? (NEEDS_POSTGRES.skip ?? false) : false;
  const skip = transport === 'uws' ? uwsMissing : missing;
  const service = skip === false ? await startService(tap, transport, place) : undefined;
  const tests = place === 'database' ? onDatabase() : onFolder(transport);
  const first = tests.filter(({ name }) => FIRST.includes(name));
  for (const { name, run } of new Set([...first, ...tests])) {
    tap.test(`${name} (${place === 'folder' ? transport : place})`, { skip }, async (t) => {
      if (service !== undefined) await run(t, service);
    });
  }
}

const onFolder = (transport: TransportName) =>
  transport === 'node' ? TESTS : TESTS.filter(({ http }) => http);

const onDatabase = () => (LONG ? TESTS : STORED_TESTS).filter(({ name }) => !(name in FOLDER_ONLY));
