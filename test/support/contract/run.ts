import tap from 'tap';
import type { TransportName } from '../../../src/http/index.js';
import { TESTS } from '../../contract/all.js';
import { uwsMissing } from '../http/serving.js';
import { startService } from './service.js';

/** Runs every test of the contract on one transport, against one server. */
export async function runContract(transport: TransportName): Promise<void> {
  const skip = transport === 'uws' ? uwsMissing : false;
  const service = skip === false ? await startService(tap, transport) : undefined;
  for (const { name, run } of TESTS) {
    tap.test(`${name} (${transport})`, { skip }, async (t) => {
      if (service !== undefined) await run(t, service);
    });
  }
}
