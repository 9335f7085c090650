import type { ComponentChildren } from 'preact';
import { readTime } from './format-values.js';

/** When a value was read from its source, and whether it may have changed since. */
export interface Source {
  /** Milliseconds since 1970 by the clock of the browser; null: it was not read yet. */
  readonly at: number | null;
  /** Whether it may have changed since: it is read again now (`renewing`), or it is known to be `old`, as after a read that failed. */
  readonly stale: 'no' | 'renewing' | 'old';
}

/** The time of a source, for a heading. */
export const AsOf = ({ source: { at, stale } }: { readonly source: Source }) =>
  at === null ? null : (
    <span class={stale === 'old' ? 'as-of warning' : 'as-of muted'}>
      {stale === 'old' ? 'Not current, as of ' : 'As of '}
      <time dateTime={new Date(at).toISOString()}>{readTime(at)}</time>
    </span>
  );

interface SourcedProps {
  readonly source: Source;
  readonly children: ComponentChildren;
}

/** Values of one source; dimmed while they may be old. The heading has the time (`AsOf`). */
export const Sourced = ({ source: { stale }, children }: SourcedProps) => (
  <div class={stale === 'no' ? 'sourced' : `sourced ${stale}`}>{children}</div>
);

interface RenewProps {
  readonly source: Source;
  readonly reload: () => void;
}

/** The time of a source, and a button that reads it again. */
export const Renew = ({ source, reload }: RenewProps) => (
  <>
    <AsOf source={source} />
    <button type="button" onClick={reload}>
      Reload
    </button>
  </>
);
