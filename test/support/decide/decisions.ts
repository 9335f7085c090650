import { ApiError } from '../../../src/api/index.js';
import type { CheckedRequest, RequestTerms } from '../../../src/decide/check-request.js';
import { checkDecisions } from '../../../src/decide/decisions/check-decisions.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import type { CatalogBuild } from '../../../src/engine/index.js';

const build = (id: string) => ({ id, model: { id, reads_images: true } }) as CatalogBuild;

/** Serves the models `known` and `other`; `known` is the default. */
export const CATALOG = {
  find: (name: string | null) =>
    name === null || name === 'known' ? build('known') : name === 'other' ? build('other') : undefined,
};

const TERMS: RequestTerms = { model: null, files: new Map(), allowedModels: null };

/** Checks a body given as a value, JSON text or bytes. */
export function check(body: unknown, terms: Partial<RequestTerms> = {}): CheckedRequest {
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return checkDecisions(bytes, { ...TERMS, ...terms }, CATALOG);
}

export const PREDICATE = { type: 'predicate', instructions: 'Is it?' };

/** A body with an input. */
export const withInput = (input: unknown) => ({ model: 'known', input, questions: [PREDICATE] });

/** A body with one question. */
export const withQuestion = (question: unknown) => ({ model: 'known', input: 'x', questions: [question] });

/** The state that the model reads of an input, with `[image n]` for its images; and whether it is JSON. */
export function shown(input: unknown): string {
  const { request, uses } = check(withInput(input));
  const text = stateText(request.state);
  return placeImages(text, uses.state);
}

/** A text with `[image n]` in the places of its images. */
export function placeImages(
  text: string,
  uses: ReadonlyArray<{ readonly start: number; readonly asset: number }>,
) {
  return [...uses].reverse().reduce((all, { start, asset }) => {
    return `${all.slice(0, start)}[image ${asset}]${all.slice(start)}`;
  }, text);
}

/** How a body is refused; throws where it is not, or by another exception. */
export function refusal(body: unknown, terms?: Partial<RequestTerms>): ApiError {
  try {
    check(body, terms);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(body).slice(0, 200)}`);
}

/** The type and the place of a refusal. */
export function refusedWith(body: unknown, terms?: Partial<RequestTerms>): readonly [string, string | null] {
  const { type, param } = refusal(body, terms);
  return [type, param];
}

/** The first bytes of a PNG file, as a URL. */
export const PNG_URL = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0]).toString('base64')}`;
export const JPEG_URL = `data:image/jpeg;base64,${Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]).toString('base64')}`;

export const image = (url: string, more: object = {}) => ({ type: 'input_image', image_url: url, ...more });
export const user = (content: unknown) => ({ role: 'user', content });
