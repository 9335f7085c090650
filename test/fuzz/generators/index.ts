import { type Random, random } from '../../support/random.js';
import { type Case, render } from '../case.js';
import { weighted } from './chance.js';
import type { Corpus } from './images.js';
import { generateRequest, mutateRaw, rawCuts } from './request.js';

export { type Corpus, imageCorpus } from './images.js';

/** The case of a number: the same for the same seed, whatever came before. */
export function generateCase(seed: number, number: number, corpus: Corpus): Case {
  const source = random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35));
  return weighted<Case>(source, [
    [92, () => ({ kind: 'request', request: generateRequest(source, corpus) })],
    [6, () => raw(source, corpus)],
    [2, () => leaving(source, corpus)],
  ]);
}

/** One request or two, without a webhook, changed. */
function raw(source: Random, corpus: Corpus): Case {
  const requests = Array.from({ length: source.pick([1, 1, 2]) }, () => plain(source, corpus));
  const bytes = mutateRaw(source, Buffer.concat(requests));
  return { kind: 'raw', bytes, cuts: rawCuts(source, bytes.length) };
}

function leaving(source: Random, corpus: Corpus): Case {
  const whole = plain(source, corpus);
  return { kind: 'leaving', bytes: whole.subarray(0, 1 + source.integer(whole.length)) };
}

function plain(source: Random, corpus: Corpus): Buffer {
  const request = generateRequest(source, corpus);
  return render({ ...request, headers: request.headers.filter(([name]) => name !== 'Service-Webhook-Url') });
}
