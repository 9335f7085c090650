import type { Price } from '../../access/index.js';
import { type Clock, OperatorError } from '../../base/index.js';
import { afterRunning, readManifest } from '../../engine/index.js';
import { changedSettings, type Settings } from '../../settings/index.js';
import type { Log } from '../../telemetry/index.js';
import { pricesByBuild } from '../build-prices.js';
import { requireGatewayModel } from '../endpoints.js';
import type { Engines } from '../engines.js';
import type { ModelSet } from '../models/model-set.js';
import type { ReloadChanges } from './audit-reload.js';
import {
  buildChanges,
  requireOpenModels,
  requireOwnFiles,
  requirePresentFiles,
  withAdvice,
} from './next-models.js';
import { nextState, type ReloadEvent, type ReloadState } from './reload-transitions.js';

/**
 * Requests that use replaced models are cut off this many milliseconds after `engine.deadline_ms`, the time limit of a
 * request in the engine. Until then, they may wait for their preparation.
 */
export const DRAIN_MARGIN_MS = 60_000;

/**
 * How many milliseconds this process may run until models are freed that nothing uses. Their waves have been aborted, so a
 * thread that takes longer never ends its wave.
 */
export const FREE_MS_MAX = 60_000;

/** What takes over settings and models while the server runs. */
interface Parts {
  readonly engines: Pick<
    Engines,
    | 'current'
    | 'nextSet'
    | 'loadMissing'
    | 'startPreparing'
    | 'replace'
    | 'retire'
    | 'discard'
    | 'reportStuck'
  >;
  /** The models and builds that open batches name. */
  openModels(): readonly string[];
  /**
   * Checks other settings. The returned function uses them, and the models that are current by then; if it throws, the
   * reload takes effect nevertheless. Throws OperatorError.
   */
  prepare(next: Settings): () => void;
  /**
   * Reads the certificate again, and tries it. Resolves with what takes it over and returns whether it is a new one. Rejects
   * with OperatorError. The function throws it too; only endpoints that accept the new one have changed then.
   */
  prepareTls(): Promise<() => boolean>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'level' | 'info' | 'warn' | 'error'>;
}

/** Takes over settings and models that are read again: all changes, or none. `reload-transitions.ts` describes the states. */
export class Reloader {
  private current: ReloadState = 'idle';
  private readonly ending = new AbortController();
  /** Settles when no reload is in progress. */
  private settled: Promise<unknown> = Promise.resolve();

  constructor(
    private used: Settings,
    private readonly parts: Parts,
  ) {}

  /** The settings in use. */
  get settings(): Settings {
    return this.used;
  }

  get state(): ReloadState {
    return this.current;
  }

  /**
   * Takes over `next`, and the models of the manifest as it is now. Waits until the models of an earlier reload are freed.
   * Rejects with OperatorError, with nothing changed, if another reload is in progress, a setting needs a restart, the
   * models cannot be used, or an endpoint does not accept a new certificate.
   */
  async reload(next: Settings): Promise<ReloadChanges> {
    if (this.current === 'draining') await this.settled;
    if (this.current === 'stopped') throw new OperatorError('The server is stopping.');
    if (this.current !== 'idle') throw new OperatorError('Another reload is in progress.');
    this.change('asked');
    const reloading = this.run(next);
    this.settled = reloading.then(
      ({ drained }) => drained,
      () => {},
    );
    return (await reloading).changed;
  }

  /** Ends a reload in progress. Resolves when what it had loaded is freed; `Engines.close` frees the rest. */
  async stop(): Promise<void> {
    this.change('stopped');
    this.ending.abort(new OperatorError('The server is stopping.'));
    await this.settled;
  }

  private async run(next: Settings): Promise<{ changed: ReloadChanges; drained: Promise<void> }> {
    const { engines, openModels, prepare, prepareTls } = this.parts;
    let set: ModelSet | null = null;
    let changed: ReloadChanges;
    let switchOver: () => ModelSet | null;
    try {
      const settings = this.changesOf(next);
      set = await this.read(next);
      this.ending.signal.throwIfAborted();
      const prices = pricesByBuild(next.billing, (set ?? engines.current).catalog);
      if (set !== null) {
        await this.load(set, next);
        this.ending.signal.throwIfAborted();
      }
      const renewTls = await prepareTls();
      this.ending.signal.throwIfAborted();
      // From here to the end without a pause. Batches may have been submitted since the models were read.
      if (set !== null) requireOpenModels(openModels(), engines.current, set);
      const models = set === null ? [] : ['manifest'];
      const builds = set === null ? [] : buildChanges(engines.current, set);
      const use = prepare(next);
      // The last step that can fail.
      const tls = renewTls() ? ['tls'] : [];
      changed = { keys: [...settings, ...models, ...tls], builds };
      switchOver = () => this.switchOver(set, prices, use);
    } catch (error) {
      if (set !== null) await this.discard(set);
      this.change('failed');
      throw withAdvice(error);
    }
    const before = switchOver();
    this.parts.log.level = next.log.level;
    // That of the requests in progress: the reload may have changed it.
    const deadlineMs = Math.max(this.used.engine.deadline_ms, next.engine.deadline_ms);
    this.used = next;
    this.change(before === null ? 'applied' : 'switched');
    return { changed, drained: before === null ? Promise.resolve() : this.drain(before, deadlineMs) };
  }

  /** Uses what was checked. Never throws: the new models are in use by then. Returns the models that were replaced. */
  private switchOver(
    set: ModelSet | null,
    prices: ReadonlyMap<string, Price>,
    use: () => void,
  ): ModelSet | null {
    const { engines, log } = this.parts;
    const before = set === null ? null : engines.replace(set);
    engines.current.prices = prices;
    try {
      use();
    } catch (error) {
      log.error({ err: error }, 'a reload took effect, but one of its last steps failed');
    }
    return before;
  }

  /** Frees what was loaded for a reload that is refused. Never rejects: the reason of the refusal is reported. */
  private async discard(set: ModelSet): Promise<void> {
    try {
      await this.freed(this.parts.engines.discard(set));
    } catch (error) {
      this.parts.log.error({ err: error }, 'the models of a reload that was refused cannot be freed');
    }
  }

  /** The keys of the settings that change. Throws OperatorError if one needs a restart. */
  private changesOf(next: Settings): string[] {
    const changed = changedSettings(this.used, next);
    const fixed = changed.filter(({ reloads }) => !reloads).map(({ key }) => key);
    if (fixed.length > 0) throw new OperatorError(`${fixed.join(', ')}: a change needs a restart.`);
    return changed.map(({ key }) => key);
  }

  /** The models of the manifest; null: those in use. Rejects with ModelError. */
  private async read({ models }: Settings): Promise<ModelSet | null> {
    const { engines } = this.parts;
    const manifest = await readManifest(models);
    if (JSON.stringify(manifest) === JSON.stringify(engines.current.manifest)) return null;
    return engines.nextSet(manifest);
  }

  /** Loads models, and starts their preparing threads. Rejects with OperatorError if they cannot be used. */
  private async load(set: ModelSet, next: Settings): Promise<void> {
    const { engines, openModels } = this.parts;
    const { signal } = this.ending;
    requireGatewayModel(next, set.catalog);
    requireOwnFiles(engines.current, set);
    requirePresentFiles(set);
    requireOpenModels(openModels(), engines.current, set);
    this.change('read');
    await engines.loadMissing(set, signal);
    signal.throwIfAborted();
    this.change('loaded');
    await engines.startPreparing(set);
    signal.throwIfAborted();
  }

  /** Frees models that were replaced when nothing uses them any more, or when their time is over. Never rejects. */
  private async drain(set: ModelSet, deadlineMs: number): Promise<void> {
    const { engines, clock, log } = this.parts;
    const { signal } = this.ending;
    let isLate = false;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(deadlineMs + DRAIN_MARGIN_MS, () => {
        isLate = true;
        end();
      });
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      void set.unused().then(end);
      signal.addEventListener('abort', end, { once: true });
    });
    // A server that stops answers these requests, and then frees all models.
    if (!signal.aborted) {
      if (isLate) log.warn({}, 'requests that still used replaced models are cut off');
      const builds = set.own(engines.current).map(({ id }) => id);
      try {
        await this.freed(engines.retire(set));
        log.info({ builds }, 'replaced models were freed');
      } catch (error) {
        log.error({ err: error, builds }, 'replaced models cannot be freed');
      }
    }
    this.change('drained');
  }

  /** Waits until models are freed. After `FREE_MS_MAX`, rejects and reports that the process has to be restarted. */
  private freed(freeing: Promise<void>): Promise<void> {
    const { engines, clock } = this.parts;
    return new Promise((resolve, reject) => {
      const cancel = afterRunning(clock, FREE_MS_MAX, () => {
        const reason = `the threads of replaced models have not ended within ${FREE_MS_MAX / 1_000} s`;
        engines.reportStuck(reason);
        reject(new Error(reason));
      });
      freeing.then(resolve, reject).finally(cancel);
    });
  }

  private change(event: ReloadEvent): void {
    this.current = nextState(this.current, event);
  }
}
