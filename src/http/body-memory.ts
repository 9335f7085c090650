import { ApiError, LIMITS } from '../api/index.js';
import { type Clock, type Owner, ShareCounts, type Shares } from '../base/index.js';
import { type BodyBlock, BodyBlocks } from './body-blocks.js';

const KIBIBYTE = 1024;
/** Memory sizes of an arriving body: the smallest that holds what has arrived, at most its length. */
const STEPS_BYTES = [64 * KIBIBYTE, 512 * KIBIBYTE, 4096 * KIBIBYTE] as const;
/** A body of at least this many bytes is moved into a block, if one is free, … */
const BLOCK_BODY_BYTES_MIN = 1024 * KIBIBYTE;
/** … once more than this many bytes have arrived: announced bytes alone get no block. */
const ARRIVED_BYTES_MIN = 512 * KIBIBYTE;
/**
 * A body slower than this after its first second may lose its memory to others. At this rate, the largest body takes 32
 * seconds.
 */
export const SLOW_BODY_BYTES_PER_SECOND = 1024 * KIBIBYTE;
/** Share of the memory that bodies over `SMALL_BODY_BYTES_MAX` may not use, so that small ones are always accepted. */
const SMALL_BODIES_PART = 1 / 8;
const SMALL_BODY_BYTES_MAX = 256 * KIBIBYTE;

/** The limits of a key and a workspace; never less than one largest body. */
export const bodyShares = (limitBytes: number): Shares => ({
  key: Math.max(limitBytes / 4, LIMITS.bodyBytes),
  workspace: Math.max(limitBytes / 2, LIMITS.bodyBytes),
  all: limitBytes,
});

/** The exceeded limit: of a key, a workspace, all memory, or the part for large bodies. */
type Short = keyof Shares | 'large';

/** The subject and verb of the message, by the exceeded limit. */
const REACHED: Readonly<Record<Short, string>> = {
  key: 'The key has reached',
  workspace: 'The workspace has reached',
  all: 'The server has reached',
  large: `All bodies over ${SMALL_BODY_BYTES_MAX} bytes have reached`,
};

/**
 * Bounds the memory of all bodies, from before they are read until their requests are answered. Counts the memory they
 * have, which grows as they arrive, not the announced length. Keys and workspaces have limits of their own. If memory
 * is short, the slowest of the slow bodies still arriving is ended before another is refused.
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

  /** Allocates the first step of a body of this length. Throws ApiError `overloaded` if there is no memory. */
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

  /** The limit of all memory comes last: a body beyond another limit ends no body that does not count for that one. */
  private exceededBy({ owner, isLarge }: ArrivingBody, bytes: number): Short | null {
    const short = this.given.exceededBy(owner, bytes);
    const isOwn = short === 'key' || short === 'workspace';
    return !isOwn && isLarge && this.large.exceededBy(owner, bytes) !== null ? 'large' : short;
  }

  private count({ owner, isLarge }: ArrivingBody, bytes: number): void {
    this.given.add(owner, bytes);
    if (isLarge) this.large.add(owner, bytes);
  }

  /** The slowest body under the exceeded limit, if it is slow. */
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
  return new ApiError(
    'overloaded',
    `${REACHED[short]} the limit of ${limit} bytes of memory for request bodies.`,
  );
}

/** The shared memory, as a body uses it. */
interface Memory {
  /** Throws ApiError `overloaded`. */
  take(bytes: number): void;
  giveBack(bytes: number): void;
  block(): BodyBlock | undefined;
  /** The body is complete or abandoned: it can no longer be ended for others. */
  settled(): void;
}

/** An arriving body and its memory, which grows with it. */
export class ArrivingBody {
  received = 0;
  /** Called when the body is ended in favour of others. */
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

  /** Reserves the first step; its pages are not touched before bytes arrive. */
  begin(): void {
    this.takeUpTo(this.step(1));
  }

  /** Appends a copy of a chunk. Throws ApiError `overloaded` if there is no memory. */
  add(chunk: Uint8Array): void {
    const end = this.received + chunk.byteLength;
    if (this.bytes === null || end > this.bytes.length) this.grow(end);
    this.bytes?.set(chunk, this.received);
    this.received = end;
    if (end === this.length) this.memory.settled();
  }

  /** The complete body, possibly in shared memory. Must not be used after `release`. */
  get whole(): Buffer {
    return this.bytes ?? Buffer.alloc(0);
  }

  /** Bytes per second, with one second's worth of bytes added, so that no body counts as slow in its first second. */
  bytesPerSecond(now: number): number {
    return ((this.received + SLOW_BODY_BYTES_PER_SECOND) * 1_000) / Math.max(1, now - this.since);
  }

  /** Releases the memory. Idempotent. */
  release(): void {
    if (this.released) return;
    this.released = true;
    this.memory.settled();
    this.memory.giveBack(this.taken);
    this.block?.release();
    this.bytes = null;
  }

  /** Ends the body in favour of others. */
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
