import { fileURLToPath } from 'node:url';
import { planRequest } from '../../src/decide/index.js';
import { openBody } from '../../src/decide/request/open-body.js';
import { readRequest } from '../../src/decide/request/read-request.js';
import { Catalog, loadAddon, openModel, readManifest } from '../../src/engine/index.js';

const MODELS = fileURLToPath(new URL('../../../models/', import.meta.url));
const ROUNDS = 4;
const ANY_MODEL = {
  ignoresModel: false,
  knows: () => false,
  allows: () => true,
  format: 'systemone',
} as const;

/** Microseconds of rendering and tokenizing per request, with the vocabulary of the embedded model. */
export async function tokenizingMicroseconds(bodies: readonly Buffer[]): Promise<number> {
  const { addon } = loadAddon('cpu');
  const model = openModel(addon, '', new Catalog(await readManifest(MODELS), MODELS).default);
  const requests = bodies.map((body) => readRequest(openBody(body), ANY_MODEL));
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (const request of requests) planRequest(request, model);
    least = Math.min(least, performance.now() - start);
  }
  addon.closeModel(model.handle);
  return (least * 1_000) / requests.length;
}
