import { isDecisionsPath } from '../base/index.js';
import {
  generatedRequests,
  givenRequests,
  type HttpTarget,
  type RequestSource,
  rewritten,
  takesLongRequests,
} from '../load/index.js';
import { printError } from './output.js';

/** The options of `decider load` that choose its requests. */
export interface RequestOptions {
  readonly model?: string;
  readonly shape: Parameters<typeof generatedRequests>[1];
  /** A cases file, in place of a shape. */
  readonly cases?: string;
}

/** Requests, and the name of their shape or of their file. */
interface ChosenRequests {
  readonly name: string;
  readonly requests: RequestSource;
}

/**
 * The requests of a cases file, or of a shape: short ones in place of the mix, with a message, if its long ones do not fit
 * the context window of the model. Throws OperatorError.
 */
export async function chooseRequests(
  options: RequestOptions,
  seed: number,
  server: HttpTarget,
  url: URL,
  probing: Parameters<typeof takesLongRequests>[3],
): Promise<ChosenRequests> {
  const { cases, shape, model } = options;
  if (cases !== undefined) return { name: cases, requests: await readRequests(cases, model, url) };
  const generate = (of: RequestOptions['shape']) => inFormOf(url, generatedRequests(seed, of, model));
  const long = await generate('one_state');
  if (shape !== 'mix' || (await takesLongRequests(server, url, long, probing)) !== false)
    return { name: shape, requests: await generate(shape) };
  printError(
    'The long requests of --shape mix do not fit the context window of the model. Short requests are sent: --shape short.',
  );
  return { name: 'short', requests: await generate('short') };
}

async function readRequests(cases: string, model: string | undefined, url: URL): Promise<RequestSource> {
  const { bodyOf, readCases } = await import('../evaluation/index.js');
  const bodies = readCases(cases).cases.map((each) => Buffer.from(bodyOf(each, 'sent', model ?? null)));
  if (!isDecisionsPath(url)) return givenRequests(bodies);
  const { decisionsBody } = await import('../decide/index.js');
  return givenRequests(bodies.map((body) => Buffer.from(decisionsBody(body))));
}

/** The same requests in the form of the path. */
async function inFormOf(url: URL, requests: RequestSource): Promise<RequestSource> {
  if (!isDecisionsPath(url)) return requests;
  const { decisionsBody } = await import('../decide/index.js');
  return rewritten(requests, decisionsBody);
}
