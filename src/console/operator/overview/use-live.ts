import { useEffect, useState } from 'preact/hooks';
import type { OperatorLive } from '../../../api/index.js';
import type { Source } from '../../ui/sourced.js';
import { useVisible } from '../../ui/use-visible.js';
import type { OperatorApi } from '../operator-api.js';
import { withSample } from './samples.js';

/** Time between two calls, in milliseconds: normally, and after an error. */
const POLL_MS = 1_000;
const POLL_FAILED_MS = 5_000;
/** What the server did in the last minute. */
interface Live {
  /** Oldest first, at most `SAMPLES_MAX`. */
  readonly samples: readonly OperatorLive[];
  /** Why the last call failed; null if it did not. */
  readonly error: unknown;
  /** Of the last sample. */
  readonly source: Source;
}

/** Reads what the server does once a second, while the view is active and the tab visible. */
export function useLive(api: OperatorApi, active: boolean): Live {
  const [live, setLive] = useState<Live>({ samples: [], error: null, source: { at: null, stale: 'no' } });
  const visible = useVisible();
  useEffect(() => {
    if (!active || !visible) return;
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      api.call('showLive', { signal: control.signal }).then(
        (sample) => {
          if (control.signal.aborted) return;
          setLive(({ samples }) => ({
            samples: withSample(samples, sample),
            error: null,
            source: { at: Date.now(), stale: 'no' },
          }));
          timer = setTimeout(look, POLL_MS);
        },
        (error) => {
          if (control.signal.aborted) return;
          setLive(({ samples, source }) => ({ samples, error, source: { ...source, stale: 'old' } }));
          timer = setTimeout(look, POLL_FAILED_MS);
        },
      );
    };
    look();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [api, active, visible]);
  return live;
}
