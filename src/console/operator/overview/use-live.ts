import { useEffect, useState } from 'preact/hooks';
import type { OperatorLive } from '../../../api/index.js';
import type { OperatorApi } from '../operator-api.js';

/** Time between two calls, in milliseconds: normally, and after an error. */
const POLL_MS = 1_000;
const POLL_FAILED_MS = 5_000;
/** How many samples the plots show. */
export const SAMPLES_MAX = 60;
/** Samples further apart than this, in milliseconds, are not drawn as one line: the older ones are dropped. */
const GAP_MS = 5_000;

/** What the server did in the last minute. */
interface Live {
  /** Oldest first, at most `SAMPLES_MAX`. */
  readonly samples: readonly OperatorLive[];
  /** Why the last call failed; null if it did not. */
  readonly error: unknown;
}

/** Reads what the server does once a second, while the view is active and the tab visible. */
export function useLive(api: OperatorApi, active: boolean): Live {
  const [live, setLive] = useState<Live>({ samples: [], error: null });
  const visible = useVisible();
  useEffect(() => {
    if (!active || !visible) return;
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      api.call('showLive', { signal: control.signal }).then(
        (sample) => {
          if (control.signal.aborted) return;
          setLive(({ samples }) => ({ samples: withSample(samples, sample), error: null }));
          timer = setTimeout(look, POLL_MS);
        },
        (error) => {
          if (control.signal.aborted) return;
          setLive(({ samples }) => ({ samples, error }));
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

/** Adds a sample, and drops those that no longer belong to the plots. */
export function withSample(samples: readonly OperatorLive[], sample: OperatorLive): readonly OperatorLive[] {
  const last = samples.at(-1);
  if (last === undefined) return [sample];
  const since = Date.parse(sample.time) - Date.parse(last.time);
  const restarted = sample.uptime_seconds < last.uptime_seconds;
  if (restarted || since < 0 || since > GAP_MS) return [sample];
  return [...samples, sample].slice(-SAMPLES_MAX);
}

function useVisible(): boolean {
  const isVisible = () => document.visibilityState === 'visible';
  const [visible, setVisible] = useState(isVisible);
  useEffect(() => {
    const change = () => setVisible(isVisible());
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  }, []);
  return visible;
}
