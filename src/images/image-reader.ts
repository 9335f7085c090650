import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../api/index.js';
import { type CountMemory, type PlanImage, SIDE_TOKENS_MAX } from '../engine/index.js';
import { type CheckedFile, checkImageFile, type ImageFile } from './check-image.js';
import { decode, decodeColumns, decodeSize, isUndecodable, type Undecodable } from './decode.js';
import { OTHER_SIDES } from './decoder-messages.js';
import { type Bitmap, gridSize, type Size, sameSize, toImage } from './pixels.js';
import { refused } from './refused.js';
import { resize } from './resize.js';
import { scaledGridSize } from './scaled-grid.js';
import type { SizeRule } from './size-rules.js';

/** An image to show to a model. */
interface ShownFile extends ImageFile {
  /** The most tokens that it may take. */
  readonly tokens: number;
}

/** Maximum number of cached hashes of files that decode. */
const VALID_FILES = 10_000;
/** Maximum number of bytes of cached resized images: at 280 tokens an image has 1.9 MB. */
const KEPT_IMAGE_BYTES = 32 * 1024 * 1024;
/** Images of more pixels than contract 8 allows are reduced while they are decoded. */
const PIXELS_AT_ONCE_MAX = LIMITS.imageSidePixelsMax ** 2;
/** How many times the columns that the model sees are kept of them: fewer would change what the second reduction makes. */
const SPARE_COLUMNS = 2;

/**
 * Runs a decode when its turn comes, and settles as it does.
 *
 * @param pixels how long it takes, as the number of pixels of an ordinary image
 */
export type DecodeTurn = <Found>(pixels: number, decode: () => Promise<Found>) => Promise<Found>;

const atOnce: DecodeTurn = (_, decode) => decode();

/** Makes every check of images that needs no decoding. Throws the errors of `checkImageFile`, or `invalid_image`. */
export function inspectImages(files: readonly ImageFile[], rule: SizeRule = 'exact'): void {
  for (const { subject, wrongChecksum } of files.map((file) => checkImageFile(file, rule))) {
    const predicate = wrongChecksum();
    if (predicate !== null) throw refused('invalid_image', `${subject} ${predicate}`);
  }
}

/**
 * Reads images: checks all headers first, then decodes one image at a time. Results are cached by the hash of the file, so
 * that an image in many requests of a workspace, or in many lines of a file, is decoded once.
 */
export class ImageReader {
  private readonly valid = new LRUCache<string, true>({ max: VALID_FILES });
  private readonly images = new LRUCache<string, PlanImage>({
    maxSize: KEPT_IMAGE_BYTES,
    sizeCalculation: ({ rgb }) => rgb.byteLength,
  });

  /** @param alone called for each large image that the decoder holds whole: up to 330 MB, so that one turn at a time is best */
  constructor(
    private readonly countMemory: CountMemory = () => {},
    private readonly alone: DecodeTurn = atOnce,
  ) {}

  /**
   * Checks that every image can be decoded. Rejects with the errors of `checkImageFile`, or `invalid_image`.
   *
   * @param turn called for each image that must be decoded
   */
  async check(files: readonly ImageFile[], turn: DecodeTurn = atOnce): Promise<void> {
    for (const file of files.map((each) => checkImageFile(each))) {
      const hash = hashOf(file);
      if (this.valid.has(hash)) continue;
      decoded(file, await turn(file.pixels, () => decodeSize(file.bytes)));
      this.valid.set(hash, true);
    }
  }

  /**
   * The images in order, as a model sees them. Rejects as `check` does; under the rule `scaled` also with
   * `image_dimensions` if the images have too many pixels together.
   *
   * @param side pixels on each side of the square that is a token
   * @param scope names whose images are found in the cache: the time of a request shows whether they are there
   */
  async read(
    files: readonly ShownFile[],
    side: number,
    rule: SizeRule = 'exact',
    scope = '',
  ): Promise<PlanImage[]> {
    const images: PlanImage[] = [];
    const checked = files.map((file) => ({ file: checkImageFile(file, rule), tokens: file.tokens }));
    const hashed = checked.map((each) => ({ ...each, hash: hashOf(each.file) }));
    if (rule === 'scaled') checkPixels(new Map(hashed.map(({ hash, file }) => [hash, file])));
    for (const { file, tokens, hash: content } of hashed) {
      const key = `${content} ${tokens} ${side} ${scope}`;
      const kept = this.images.get(key);
      const image = kept ?? toImage(await this.fitted(file, gridOf(file.size, tokens, side, rule)));
      if (kept === undefined) {
        this.countMemory(image.rgb.buffer as SharedArrayBuffer);
        this.images.set(key, image);
      }
      images.push(image);
    }
    return images;
  }

  /** The pixels of an image at another size. Those of a large one are never in memory all at once, if its file allows that. */
  private async fitted(file: CheckedFile, grid: Size): Promise<Bitmap> {
    const { bytes, size, pixels } = file;
    if (size.width * size.height <= PIXELS_AT_ONCE_MAX)
      return resize(decoded(file, await decode(bytes, size)), grid);
    const columns = Math.min(size.width, grid.width * SPARE_COLUMNS);
    const read = () => decodeColumns(bytes, size, columns);
    const found = await (file.heldWhole ? this.alone(pixels, read) : read());
    return resize(decoded(file, found, { width: columns, height: size.height }), grid);
  }
}

/** Throws ApiError `image_dimensions` if the different images of a request have too many pixels together. */
function checkPixels(files: ReadonlyMap<string, CheckedFile>): void {
  const pixels = [...files.values()].reduce((sum, file) => sum + file.pixels, 0);
  if (pixels <= LIMITS.scaledRequestPixels) return;
  throw refused(
    'image_dimensions',
    `The images have ${pixels} pixels together, a JPEG of more than 4 scans counted once for every 4; the limit is ${LIMITS.scaledRequestPixels}`,
  );
}

const gridOf = (size: Size, tokens: number, side: number, rule: SizeRule): Size =>
  rule === 'exact' ? gridSize(size, tokens, side) : scaledGridSize(size, tokens, side, SIDE_TOKENS_MAX);

function hashOf({ bytes }: CheckedFile): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Also refuses an image whose decoded size differs from the one expected: that of its header. */
function decoded<T extends Size>({ subject, size }: CheckedFile, found: T | Undecodable, expected = size): T {
  if (isUndecodable(found)) throw refused('invalid_image', `${subject} ${found.predicate}`);
  if (sameSize(found, expected)) return found;
  throw refused('invalid_image', `${subject} ${OTHER_SIDES}`);
}
