import { requireFields } from './argument-checks.js';
import type { DecideRequest, TaskState } from './client-types.js';
import { encode } from './encode.js';
import type { RequestContent } from './http-calls.js';
import { formOf, INLINE_IMAGE_BYTES_MAX, inlineAssets, readImages } from './image-sources.js';
import { requireLabelOrders } from './label-order.js';
import { orAborted } from './until-aborted.js';

/** A request body and its headers. */
interface SentBody {
  readonly body: RequestContent;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The body of a decide request: JSON, or a form if its images are large. Rejects with DeciderError for other files, with
 * TypeError for what cannot be sent, or with the reason of the signal.
 */
export function bodyOfDecide(
  request: DecideRequest | TaskState,
  signal: AbortSignal | undefined,
): Promise<SentBody> {
  return orAborted(bodyOf(request), signal);
}

async function bodyOf(whole: DecideRequest | TaskState): Promise<SentBody> {
  requireFields(whole, 'request');
  const { images, ...request } = whole;
  requireLabelOrders((request as Partial<DecideRequest>).questions, 'questions');
  if (images === undefined) return json(request);
  const read = await readImages(images);
  const bytes = read.reduce((sum, { file }) => sum + file.size, 0);
  // `fetch` writes the header of a form, which names the boundary.
  if (bytes > INLINE_IMAGE_BYTES_MAX) return { body: formOf(request, read), headers: {} };
  return json({ ...request, assets: await inlineAssets(read) });
}

const json = (value: object): SentBody => ({
  body: encode(value, ''),
  headers: { 'content-type': 'application/json' },
});
