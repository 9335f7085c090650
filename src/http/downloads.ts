import { ApiError } from '../api/index.js';
import type { Clock, Owner, Shares } from '../base/index.js';
import type { BodyStream, Incoming } from './transport/transport-types.js';

/** Concurrent streams: a key may download all batches that it may have open. */
export const DOWNLOADS_MAX: Shares = { key: 10, workspace: 20, all: 80 };

/** A download slower than this after its first second may lose its place to another one. */
export const SLOW_DOWNLOAD_BYTES_PER_SECOND = 1024 * 1024;

const OWNERS = { key: 'The key', workspace: 'The workspace', all: 'The server' } as const;

/**
 * Bounds the responses that are streamed, each of which holds a part of its body while it is read. Where a limit is
 * reached, the slowest of the slow downloads under it is ended before another is refused: slow readers keep nobody out.
 */
export class Downloads {
  private readonly open = new Set<Download>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Counts a stream until it is sent or its client disconnects. Throws ApiError `overloaded` beyond the limit. */
  begin(
    owner: Owner,
    { method, signal }: Pick<Incoming, 'method' | 'signal'>,
    stream: BodyStream,
  ): BodyStream {
    if (method === 'HEAD' || signal.aborted) return stream;
    this.makeRoom(owner);
    const download = new Download(owner, this.clock.monotonic());
    this.open.add(download);
    const end = () => {
      signal.removeEventListener('abort', end);
      this.open.delete(download);
    };
    signal.addEventListener('abort', end, { once: true });
    return {
      ...stream,
      pieces: download.counted(stream.pieces),
      stopped: download.stopped,
      sent() {
        end();
        stream.sent();
      },
    };
  }

  private makeRoom(owner: Owner): void {
    for (;;) {
      const full = this.exceededBy(owner);
      if (full === null) return;
      const slowest = this.slowest(full, owner);
      if (slowest === undefined) {
        const message = `${OWNERS[full]} has reached the limit of ${DOWNLOADS_MAX[full]} concurrent downloads of results.`;
        throw new ApiError('overloaded', message);
      }
      this.open.delete(slowest);
      slowest.stop();
    }
  }

  /** The first limit that one more would exceed; a caller beyond a limit of its own ends no download of others. */
  private exceededBy(owner: Owner): keyof Shares | null {
    const order = ['key', 'workspace', 'all'] as const;
    return order.find((share) => this.under(share, owner).length >= DOWNLOADS_MAX[share]) ?? null;
  }

  private under(share: keyof Shares, owner: Owner): Download[] {
    return [...this.open].filter((one) => share === 'all' || one.owner[share] === owner[share]);
  }

  /**
   * The slowest slow download under a limit. The only one of a workspace is spared while a workspace has several. For the
   * first download of a workspace, one of those that have several need not be slow.
   */
  private slowest(share: keyof Shares, owner: Owner): Download | undefined {
    const found = this.under(share, owner);
    const several = found.filter((one) => this.under('workspace', one.owner).length > 1);
    const now = this.clock.monotonic();
    let slowest: Download | undefined;
    const isFirst = this.under('workspace', owner).length === 0;
    let least = isFirst && several.length > 0 ? Number.POSITIVE_INFINITY : SLOW_DOWNLOAD_BYTES_PER_SECOND;
    for (const one of several.length > 0 ? several : found) {
      const rate = one.bytesPerSecond(now);
      if (rate < least) [slowest, least] = [one, rate];
    }
    return slowest;
  }
}

/** A response that is being streamed. */
class Download {
  private sent = 0;
  private readonly ended = new AbortController();

  constructor(
    readonly owner: Owner,
    private readonly since: number,
  ) {}

  get stopped(): AbortSignal {
    return this.ended.signal;
  }

  /** The same pieces; each counts when the next one is needed. */
  async *counted(pieces: BodyStream['pieces']): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const { byteLength } = piece;
      yield piece;
      this.sent += byteLength;
    }
  }

  /** Bytes per second, with one second's worth of bytes added, so that no download counts as slow in its first second. */
  bytesPerSecond(now: number): number {
    return ((this.sent + SLOW_DOWNLOAD_BYTES_PER_SECOND) * 1_000) / Math.max(1, now - this.since);
  }

  /** Ends the download in favour of another one. */
  stop(): void {
    this.ended.abort();
  }
}
