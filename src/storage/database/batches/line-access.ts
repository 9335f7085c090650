import { Access, type Directory, type Ledger, type RateLimits } from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import type { NodeSession } from '../session/fenced.js';

interface Parts {
  readonly session: Pick<NodeSession, 'isServing'>;
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * Access for batch lines. While the copy of keys and workspaces may be stale, lines wait instead of failing: look-ups
 * return what the copy has, and `writable` is false.
 */
export class LineAccess extends Access {
  private listener = () => {};

  constructor(private readonly parts: Parts) {
    const { directory } = parts;
    super({
      ...parts,
      directory: {
        refresh() {},
        keyOfDigest: (digest) => directory.keyOfDigest(digest),
        key: (id) => directory.key(id),
        workspace: (id) => directory.workspace(id),
      },
      limiter: UNLIMITED,
    });
  }

  /** Replaces the listener: each session of the node has a runner of its own. */
  override onFunds(listener: () => void): void {
    this.listener = listener;
  }

  /** Calls the listener of `onFunds`. */
  fundsChanged(): void {
    this.listener();
  }

  override get writable(): boolean {
    try {
      this.parts.directory.refresh();
    } catch {
      return false;
    }
    return this.parts.session.isServing && super.writable;
  }
}

/** Rate limits do not apply to batch lines. */
const UNLIMITED: RateLimits = {
  take() {},
  left: () => {
    throw new Error('batch lines have no rate limits');
  },
};
