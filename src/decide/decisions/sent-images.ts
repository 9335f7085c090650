import { type ErrorType, type ImageBudget, LIMITS } from '../../api/index.js';
import { field } from '../request/json-fields.js';
import type { RequestImage } from '../request-images.js';
import { readDataUrl } from './data-url.js';
import { errorAt, type ObjectNode, refusedAt, stringAt } from './place.js';

/** Most tokens of an image, by its `detail`. */
const BUDGETS: Readonly<Record<string, ImageBudget>> = { low: 70, high: 280, auto: 280, original: 280 };

/** The different images of a request, in the order of their first use. One that is sent several times is read once. */
export class SentImages {
  readonly images: RequestImage[] = [];
  /** By budget and URL. */
  private readonly indexes = new Map<number, Map<string, number>>();

  /**
   * Adds the image of an `input_image` part and returns its index.
   *
   * @param type of the errors about the part itself
   * @throws ApiError also `remote_image`, `invalid_image`, or `too_many_images` for more than `LIMITS.assets` different ones
   */
  add(part: ObjectNode, place: string, type: ErrorType): number {
    const detail = field(part, 'detail');
    const tokens = detail === undefined ? BUDGETS.auto : detail.kind === 'text' && budgetOf(detail.value);
    if (!tokens) {
      throw refusedAt(`${place}.detail`, 'must be `low`, `high`, `auto`, `original` or null', type);
    }
    const at = `${place}.image_url`;
    const url = stringAt(field(part, 'image_url'), at, type);
    const indexes = this.indexes.get(tokens) ?? new Map<string, number>();
    const known = indexes.get(url);
    if (known !== undefined) return known;
    if (this.images.length === LIMITS.assets) {
      throw errorAt(at, `The request has more than the limit of ${LIMITS.assets} images.`, 'too_many_images');
    }
    const data = readDataUrl(url, at);
    this.images.push({ subject: `\`${at}\``, format: null, data, place: at, tokens });
    this.indexes.set(tokens, indexes.set(url, this.images.length - 1));
    return this.images.length - 1;
  }
}

const budgetOf = (detail: string) => (Object.hasOwn(BUDGETS, detail) ? BUDGETS[detail] : undefined);
