import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CountMemory, PlanImage } from '../engine/index.js';
import { type CheckedFile, checkImageFile, type ImageFile, refused } from './check-image.js';
import { decode, decodeSize, isUndecodable, type Undecodable } from './decode.js';
import { gridSize, type Size, sameSize, toImage } from './pixels.js';
import { resize } from './resize.js';

/** How large an image may be for a model. */
interface Fit {
  /** The most tokens of one image. */
  readonly tokens: number;
  /** Pixels on each side of the square that is a token. */
  readonly side: number;
}

/** Maximum number of cached hashes of files that decode. */
const VALID_FILES = 10_000;
/** Maximum number of bytes of cached resized images: at 280 tokens an image has 1.9 MB. */
const KEPT_IMAGE_BYTES = 32 * 1024 * 1024;

/**
 * Runs a decode when its turn comes, and settles as it does.
 *
 * @param pixels how long it takes, as the number of pixels of an ordinary image
 */
export type DecodeTurn = <Found>(pixels: number, decode: () => Promise<Found>) => Promise<Found>;

const atOnce: DecodeTurn = (_, decode) => decode();

/** Makes every check of images that needs no decoding. Throws the errors of `checkImageFile`, or `invalid_image`. */
export function inspectImages(files: readonly ImageFile[]): void {
  for (const { subject, wrongChecksum } of files.map(checkImageFile)) {
    const predicate = wrongChecksum();
    if (predicate !== null) throw refused('invalid_image', `${subject} ${predicate}`);
  }
}

/**
 * Reads images: checks all headers first, then decodes one image at a time. Results are cached by the hash of the file, so
 * that an image in many requests or lines is decoded once.
 */
export class ImageReader {
  private readonly valid = new LRUCache<string, true>({ max: VALID_FILES });
  private readonly images = new LRUCache<string, PlanImage>({
    maxSize: KEPT_IMAGE_BYTES,
    sizeCalculation: ({ rgb }) => rgb.byteLength,
  });

  constructor(private readonly countMemory: CountMemory = () => {}) {}

  /**
   * Checks that every image can be decoded. Rejects with the errors of `checkImageFile`, or `invalid_image`.
   *
   * @param turn called for each image that must be decoded
   */
  async check(files: readonly ImageFile[], turn: DecodeTurn = atOnce): Promise<void> {
    for (const file of files.map(checkImageFile)) {
      const hash = hashOf(file);
      if (this.valid.has(hash)) continue;
      decoded(file, await turn(file.pixels, () => decodeSize(file.bytes)));
      this.valid.set(hash, true);
    }
  }

  /** The images in order, as a model sees them. Rejects as `check` does. */
  async read(files: readonly ImageFile[], { tokens, side }: Fit): Promise<PlanImage[]> {
    const images: PlanImage[] = [];
    for (const file of files.map(checkImageFile)) {
      const hash = `${hashOf(file)} ${tokens} ${side}`;
      const kept = this.images.get(hash);
      const image =
        kept ?? toImage(resize(decoded(file, await decode(file.bytes)), gridSize(file.size, tokens, side)));
      if (kept === undefined) {
        this.countMemory(image.rgb.buffer as SharedArrayBuffer);
        this.images.set(hash, image);
      }
      images.push(image);
    }
    return images;
  }
}

function hashOf({ bytes }: CheckedFile): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Also refuses an image whose decoded size differs from its header. */
function decoded<T extends Size>({ subject, size }: CheckedFile, found: T | Undecodable): T {
  if (isUndecodable(found)) throw refused('invalid_image', `${subject} ${found.predicate}`);
  if (sameSize(found, size)) return found;
  throw refused('invalid_image', `${subject} has other sides than its header says`);
}
