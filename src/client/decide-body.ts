import type { DecideRequest, TaskState } from './client-types.js';
import type { RequestContent } from './http-calls.js';
import { formOf, INLINE_IMAGE_BYTES_MAX, inlineAssets, readImages } from './image-sources.js';

/** A request body and its headers. */
interface SentBody {
  readonly body: RequestContent;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body of a decide request: JSON, or a form if its images are large. Rejects with DeciderError for other files. */
export async function bodyOfDecide({ images, ...request }: DecideRequest | TaskState): Promise<SentBody> {
  if (images === undefined) return json(request);
  const read = await readImages(images);
  const bytes = read.reduce((sum, { file }) => sum + file.size, 0);
  // `fetch` writes the header of a form, which names the boundary.
  if (bytes > INLINE_IMAGE_BYTES_MAX) return { body: formOf(request, read), headers: {} };
  return json({ ...request, assets: await inlineAssets(read) });
}

const json = (value: object): SentBody => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});
