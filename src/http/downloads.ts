import { ApiError } from '../api/index.js';
import { type Owner, ShareCounts, type Shares } from '../base/index.js';
import type { BodyStream, Incoming } from './transport/types.js';

/** Streams that are sent at one time: a key may collect all batches that it may have open at once. */
export const DOWNLOADS_MAX: Shares = { key: 10, workspace: 20, all: 80 };

const OWNERS = { key: 'The key', workspace: 'The workspace', all: 'The server' } as const;

/** Bounds the answers that are sent as streams, each of which holds a part of its body for as long as it is read. */
export class Downloads {
  private readonly counts = new ShareCounts(DOWNLOADS_MAX);

  /** The stream, counted until it is sent or its client has gone. Throws ApiError `overloaded` where it is one too many. */
  begin(
    owner: Owner,
    { method, signal }: Pick<Incoming, 'method' | 'signal'>,
    stream: BodyStream,
  ): BodyStream {
    if (method === 'HEAD' || signal.aborted) return stream;
    const full = this.counts.exceededBy(owner, 1);
    if (full !== null) {
      const message = `${OWNERS[full]} sends ${DOWNLOADS_MAX[full]} results at one time already, which is the limit.`;
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
