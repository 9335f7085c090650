import type { Clock } from '../base/index.js';
import type { CatalogBuild, checkModel } from '../engine/index.js';
import type { chooseTransport } from '../http/index.js';
import type { Log, RecentLines } from '../telemetry/index.js';

/** What the server takes from outside, so that tests can replace it. */
export interface ServerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Log lines dropped since the start. */
  readonly logLinesDropped?: () => number;
  /** The last warnings and errors of the log; absent: they are not kept. */
  readonly recentLines?: RecentLines;
  readonly report: StartReport;
  /** Aborts a start that is still in progress. */
  readonly stop: AbortSignal;
  /** Checks a build before it is loaded; absent: `checkModel`, which starts a process. */
  readonly checkModel?: typeof checkModel;
  /** Chooses the transport of a setting; absent: `chooseTransport`, which may start a process. */
  readonly chooseTransport?: typeof chooseTransport;
  /** Certificate authorities for webhook receivers, as PEM; Node's own if absent. */
  readonly authorities?: string;
}

/** Progress of a start. */
interface StartReport {
  /** HTTP listens and answers 503 until the models are loaded. The start continues when the returned promise resolves. */
  listening?(url: string): void | Promise<void>;
  notice(sentence: string): void;
  /** The token of the key that the first start creates. It is stored nowhere. */
  token(token: string): void;
  /** The fraction of a build's weights that is loaded, 0 to 1. */
  progress(build: CatalogBuild, fraction: number): void;
}
