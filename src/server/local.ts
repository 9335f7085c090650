import { type Clock, type Owner, sharedCopy } from '../base/index.js';
import { type DecideDependencies, decide, type PrepareResult, type SentRequest } from '../decide/index.js';
import { Catalog, type Manifest } from '../engine/index.js';
import type { Settings } from '../settings/index.js';
import { Metrics } from '../telemetry/index.js';
import { Engines } from './engines.js';
import type { ServerDependencies } from './server-dependencies.js';
import { untilComputed, waitForLane } from './until-computed.js';

/** A decision made in this process. */
interface LocalDecision {
  /** The response of contract 2.4 as JSON. */
  readonly json: string;
  /** By question. */
  readonly temperatures: Readonly<Record<string, number>>;
}

/** The engines and preparing threads of a server, without HTTP, accounts and stored data. */
export interface LocalService {
  readonly backend: string;
  readonly catalog: Catalog;
  /**
   * Rejects with ApiError if the request is refused, with the engine's error, and with OperatorError if an engine thread
   * will never work again. Waits as long as the engine needs.
   */
  decide(request: SentRequest, signal: AbortSignal): Promise<LocalDecision>;
  close(): Promise<void>;
  /** To be called while the process exits: ends it at once if it would wait for a thread that never ends. */
  exit(status: number): void;
}

const OWNER: Owner = { workspace: '', key: '' };
/** Nothing is charged. */
const FREE = { post: () => {}, release: () => {} };

/**
 * Loads the models of the manifest that `names` mean (null: the default one) and returns the decision between them.
 * Throws ModelError or BackendError, with nothing left running.
 */
export async function openLocal(
  settings: Pick<Settings, 'models' | 'engine' | 'prepare'>,
  dependencies: ServerDependencies,
  names: ReadonlyArray<string | null>,
): Promise<LocalService> {
  const metrics = new Metrics();
  const engines = await Engines.open(settings, dependencies, metrics, (manifest) =>
    narrow(manifest, settings.models, names),
  );
  try {
    await engines.load();
    await engines.startPreparing();
  } catch (error) {
    await engines.close();
    throw error;
  }
  const set = engines.current;
  const beforeWait = waitForLane(
    () => engines.stuckReason,
    (sentence) => dependencies.report.notice(sentence),
  );
  return {
    backend: engines.backend,
    catalog: engines.catalog,
    decide: (request, signal) =>
      decideLocally(request, signal, {
        clock: dependencies.clock,
        prepare: (sent) => set.prepare(sent, OWNER, signal),
        engine: (build) => engines.get(build),
        beforeWait,
      }),
    close: () => engines.close(),
    exit(status) {
      if (engines.stuckReason !== null) engines.exit(status);
    },
  };
}

/** What decides in this process; see `untilComputed` for `beforeWait`. */
interface LocalParts extends Pick<DecideDependencies, 'prepare' | 'engine'> {
  readonly clock: Clock;
  beforeWait(): void;
}

/** Decides a request, however long no lane of its model works. */
export function decideLocally(
  request: SentRequest,
  signal: AbortSignal,
  { clock, prepare, engine, beforeWait }: LocalParts,
): Promise<LocalDecision> {
  // Preparing takes the memory of a large body unless it is shared, and each attempt prepares it.
  const repeatable = { ...request, body: sharedCopy(request.body) };
  return untilComputed(
    clock,
    async (alone) => {
      let prepared: PrepareResult | undefined;
      const { json } = await decide(
        repeatable,
        {
          clock,
          async prepare(sent) {
            prepared = await prepare(sent);
            return prepared;
          },
          engine,
          reserve: () => FREE,
        },
        // As a batch line: without a deadline, since the caller bounds the concurrency.
        { signal, urgency: 'batch', alone },
      );
      return { json, temperatures: temperaturesOf(prepared as PrepareResult) };
    },
    beforeWait,
  );
}

/** Names such as `__proto__` are plain ones. */
function temperaturesOf(prepared: PrepareResult): Record<string, number> {
  if (!prepared.ok) return {};
  return Object.fromEntries(
    prepared.questions.map(({ name }, index) => [name, prepared.temperatures[index] as number]),
  );
}

/** The manifest without the builds that none of the names means; unknown names are ignored. */
export function narrow(manifest: Manifest, folder: string, names: ReadonlyArray<string | null>): Manifest {
  const catalog = new Catalog(manifest, folder);
  const found = names.flatMap((name) => catalog.find(name)?.id ?? []);
  const kept = new Set(found.length === 0 ? [catalog.default.id] : found);
  const models = manifest.models
    .map((model) => ({
      ...model,
      builds: model.builds.filter(({ date }) => kept.has(`${model.id}-${date}`)),
    }))
    .filter(({ builds }) => builds.length > 0);
  const [first = catalog.default.id] = kept;
  return { ...manifest, models, default: kept.has(catalog.default.id) ? catalog.default.id : first };
}
