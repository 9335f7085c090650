import { ApiError, LIMITS } from '../api/index.js';
import { type Clock, type Owner, ShareCounts, type Shares } from '../base/index.js';
import { type BodyBlock, BodyBlocks } from './body-blocks.js';

const KIBIBYTE = 1024;
/** The memory of a body that has begun, in steps: it has the least that holds what has arrived, or its length. */
const STEPS_BYTES = [64 * KIBIBYTE, 512 * KIBIBYTE, 4096 * KIBIBYTE] as const;
/** A body of at least so many bytes is put into a block, where one is free, … */
const BLOCK_BODY_BYTES_MIN = 1024 * KIBIBYTE;
/** … when more than so many have arrived: nobody has one for bytes that are only announced. */
const ARRIVED_BYTES_MIN = 512 * KIBIBYTE;
/** A body that is slower after its first second may lose its memory to others: the largest takes half a minute at it. */
export const SLOW_BODY_BYTES_PER_SECOND = 1024 * KIBIBYTE;
/** A part of the memory that bodies over `SMALL_BODY_BYTES_MAX` leave to the others, so that these always get in. */
const SMALL_BODIES_PART = 1 / 8;
export const SMALL_BODY_BYTES_MAX = 256 * KIBIBYTE;

/** What one key and one workspace may have of the memory; never less than one largest body. */
export const bodyShares = (limitBytes: number): Shares => ({
  key: Math.max(limitBytes / 4, LIMITS.bodyBytes),
  workspace: Math.max(limitBytes / 2, LIMITS.bodyBytes),
  all: limitBytes,
});

/** What is short: the share of a key or workspace, all memory, or the part of it that large bodies may have. */
type Short = keyof Shares | 'large';

const TAKERS: Readonly<Record<Short, string>> = {
  key: 'The request bodies of the key take',
  workspace: 'The request bodies of the workspace take',
  all: 'The request bodies of all keys take',
  large: `The request bodies over ${SMALL_BODY_BYTES_MAX} bytes of all keys take`,
};

/**
 * Bounds the memory of all bodies at one time, from before they are read until their requests are answered: not what
 * they announce, but what they have been given, which grows as they arrive. Keys and workspaces have shares of it.
 * Where it is short, the slowest of the slow bodies that are still arriving is ended, before another is refused.
 */
export class BodyMemory {
  private readonly given: ShareCounts;
  private readonly limits: Readonly<Record<Short, number>>;
  private readonly large: ShareCounts;
  private readonly arriving = new Set<ArrivingBody>();
  private readonly blocks = new BodyBlocks();

  constructor(
    limitBytes: number,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    const shares = bodyShares(limitBytes);
    const large = limitBytes * (1 - SMALL_BODIES_PART);
    this.limits = { ...shares, large };
    this.given = new ShareCounts(shares);
    this.large = new ShareCounts({ key: large, workspace: large, all: large });
  }

  /** Takes what a body of so many bytes begins with. Throws ApiError `overloaded` where there is not so much. */
  take(owner: Owner, length: number): ArrivingBody {
    const { clock, blocks, arriving } = this;
    const body: ArrivingBody = new ArrivingBody(owner, length, clock.monotonic(), {
      take: (bytes) => this.give(body, bytes),
      giveBack: (bytes) => this.count(body, -bytes),
      block: () => blocks.take(owner, length),
      settled: () => arriving.delete(body),
    });
    body.begin();
    arriving.add(body);
    return body;
  }

  private give(body: ArrivingBody, bytes: number): void {
    for (;;) {
      const short = this.exceededBy(body, bytes);
      if (short === null) break;
      const slowest = this.slowest(short, body);
      if (slowest === undefined || slowest === body) throw tooMuch(short, this.limits[short]);
      slowest.end();
    }
    this.count(body, bytes);
  }

  private exceededBy(body: ArrivingBody, bytes: number): Short | null {
    const short = this.given.exceededBy(body.owner, bytes);
    if (short !== null || !body.isLarge) return short;
    return this.large.exceededBy(body.owner, bytes) === null ? null : 'large';
  }

  private count({ owner, isLarge }: ArrivingBody, bytes: number): void {
    this.given.add(owner, bytes);
    if (isLarge) this.large.add(owner, bytes);
  }

  /** The slowest of those that share the memory that is short, where it is slow. */
  private slowest(short: Short, { owner }: ArrivingBody): ArrivingBody | undefined {
    const now = this.clock.monotonic();
    let slowest: ArrivingBody | undefined;
    let least = SLOW_BODY_BYTES_PER_SECOND;
    for (const body of this.arriving) {
      if (short === 'large' ? !body.isLarge : short !== 'all' && body.owner[short] !== owner[short]) continue;
      const rate = body.bytesPerSecond(now);
      if (rate >= least) continue;
      [slowest, least] = [body, rate];
    }
    return slowest;
  }
}

function tooMuch(short: Short, limit: number): ApiError {
  return new ApiError('overloaded', `${TAKERS[short]} the ${limit} bytes of memory that they may.`);
}

/** What a body needs of the memory of all. */
interface Memory {
  /** Throws ApiError `overloaded`. */
  take(bytes: number): void;
  giveBack(bytes: number): void;
  block(): BodyBlock | undefined;
  /** It is whole, or given up: nothing is taken from it any more. */
  settled(): void;
}

/** A body and its memory, which grows as it arrives. */
export class ArrivingBody {
  received = 0;
  /** Called where others need its memory more. */
  onEnd: (error: ApiError) => void = () => {};
  private bytes: Buffer | null = null;
  private block: BodyBlock | undefined;
  private taken = 0;
  private released = false;

  constructor(
    readonly owner: Owner,
    readonly length: number,
    private readonly since: number,
    private readonly memory: Memory,
  ) {}

  get isLarge(): boolean {
    return this.length > SMALL_BODY_BYTES_MAX;
  }

  /** Takes the first step, of which no page is touched before there are bytes for it. */
  begin(): void {
    this.takeUpTo(this.step(1));
  }

  /** Adds a copy of what has arrived. Throws ApiError `overloaded` where there is no memory for it. */
  add(chunk: Uint8Array): void {
    const end = this.received + chunk.byteLength;
    if (this.bytes === null || end > this.bytes.length) this.grow(end);
    this.bytes?.set(chunk, this.received);
    this.received = end;
    if (end === this.length) this.memory.settled();
  }

  /** Once it has arrived: a buffer of its length, which may be shared. It may be another body's after `release`. */
  get whole(): Buffer {
    return this.bytes ?? Buffer.alloc(0);
  }

  /** As if it had not been slow before it began: so it is not slow in its first second. */
  bytesPerSecond(now: number): number {
    return ((this.received + SLOW_BODY_BYTES_PER_SECOND) * 1_000) / Math.max(1, now - this.since);
  }

  /** Gives the memory back. More than once does no harm. */
  release(): void {
    if (this.released) return;
    this.released = true;
    this.memory.settled();
    this.memory.giveBack(this.taken);
    this.block?.release();
    this.bytes = null;
  }

  /** Gives it up for others. */
  end(): void {
    const { received, length } = this;
    this.release();
    const message = `Only ${received} of ${length} bytes of the body had arrived when the server needed their memory for faster requests.`;
    this.onEnd(new ApiError('request_timeout', message));
  }

  private grow(end: number): void {
    const before = this.bytes;
    this.bytes = this.roomFor(end);
    if (before !== null) this.bytes.set(before.subarray(0, this.received));
  }

  private roomFor(end: number): Buffer {
    const { length } = this;
    if (length >= BLOCK_BODY_BYTES_MIN && end > ARRIVED_BYTES_MIN) this.block = this.memory.block();
    this.takeUpTo(this.block === undefined ? this.step(end) : length);
    if (this.block === undefined) return Buffer.allocUnsafeSlow(this.taken);
    return Buffer.from(this.block.memory, 0, length);
  }

  private step(end: number): number {
    return Math.min(this.length, STEPS_BYTES.find((step) => step >= end) ?? this.length);
  }

  private takeUpTo(bytes: number): void {
    this.memory.take(bytes - this.taken);
    this.taken = bytes;
  }
}
