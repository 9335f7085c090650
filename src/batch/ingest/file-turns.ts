import { LIMITS } from '../../api/index.js';
import type { Owner } from '../../base/index.js';
import { type DecodeTurn, ImageReader } from '../../images/index.js';
import { Refusal } from './cut-file.js';
import { OtherRoom } from './rooms.js';
import type { ThreadTurns } from './thread-turns.js';

/** How long decoding the images of one file may take, without the time it waits for its turns. */
export const FILE_DECODE_MS_MAX = 120_000;

/** The owner of a file, and whether its client is connected. */
export interface FileOwner {
  readonly owner: Owner;
  /** One number in shared memory; not 0 when the client has disconnected. */
  readonly stop: Int32Array;
}

/** The turns of one file, and what its images may cost. */
export class FileTurns {
  readonly reader = new ImageReader();
  private pixels = 0;
  private decodeMs = 0;

  /**
   * @param decodes whether images may be decoded; if not, the first one belongs into another room
   * @param now milliseconds of a clock that never steps
   */
  constructor(
    private readonly thread: ThreadTurns,
    private readonly file: FileOwner,
    private readonly decodes: boolean = true,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Checks a part of the file when its turn comes. */
  cut<Found>(check: () => Found): Promise<Found> {
    return this.thread.cut(this.file.owner, check);
  }

  get isClientGone(): boolean {
    return Atomics.load(this.file.stop, 0) !== 0;
  }

  /** Throws Refusal if the client has disconnected: nothing of the file is of use any more. */
  requireClient(): void {
    if (this.isClientGone) throw new Refusal('request_timeout', 'The client has disconnected.');
  }

  /**
   * Decodes an image when its turn comes. Rejects with Refusal if the images of the file take more than they may, or the
   * client has disconnected, and with OtherRoom if none may be decoded here.
   */
  readonly image: DecodeTurn = async (pixels, decode) => {
    if (!this.decodes) throw new OtherRoom('images');
    this.pixels += pixels;
    if (this.pixels > LIMITS.batchPixels) throw tooManyPixels();
    return this.thread.image(this.file.owner, async () => {
      this.requireClient();
      const start = this.now();
      const found = await decode();
      this.decodeMs += this.now() - start;
      if (this.decodeMs > FILE_DECODE_MS_MAX) throw tooSlow();
      return found;
    });
  };
}

const tooManyPixels = () =>
  new Refusal(
    'body_too_large',
    `The images of the file have more than ${LIMITS.batchPixels} pixels together. Split the file.`,
  );

const tooSlow = () =>
  new Refusal(
    'overloaded',
    `Decoding the images of the file took more than ${FILE_DECODE_MS_MAX / 1000} seconds. Split the file, or try again later.`,
  );
