import { ApiError } from '../api/index.js';
import { type Owner, ShareCounts, type Shares } from '../base/index.js';
import type { BodyStream, Incoming } from './transport/types.js';

/** Concurrent streams: a key may download all batches that it may have open. */
export const DOWNLOADS_MAX: Shares = { key: 10, workspace: 20, all: 80 };

const OWNERS = { key: 'The key', workspace: 'The workspace', all: 'The server' } as const;

/** Bounds the responses that are streamed, each of which holds a part of its body while it is read. */
export class Downloads {
  private readonly counts = new ShareCounts(DOWNLOADS_MAX);

  /** Counts a stream until it is sent or its client disconnects. Throws ApiError `overloaded` beyond the limit. */
  begin(
    owner: Owner,
    { method, signal }: Pick<Incoming, 'method' | 'signal'>,
    stream: BodyStream,
  ): BodyStream {
    if (method === 'HEAD' || signal.aborted) return stream;
    const full = this.counts.exceededBy(owner, 1);
    if (full !== null) {
      const message = `${OWNERS[full]} has reached the limit of ${DOWNLOADS_MAX[full]} concurrent downloads of results.`;
      throw new ApiError('overloaded', message);
    }
    this.counts.add(owner, 1);
    let open = true;
    const end = () => {
      if (!open) return;
      open = false;
      signal.removeEventListener('abort', end);
      this.counts.add(owner, -1);
    };
    signal.addEventListener('abort', end, { once: true });
    return {
      ...stream,
      sent() {
        end();
        stream.sent();
      },
    };
  }
}
