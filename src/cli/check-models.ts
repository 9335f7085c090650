import { IMAGE_BUDGETS } from '../api/index.js';
import { answer, answerJson, type Question } from '../decide/index.js';
import {
  type Catalog,
  type CatalogBuild,
  checkModel,
  FIRST_QUESTION,
  type MemoryNeed,
  ModelError,
  type ModelFacts,
  readTemperatures,
  requireUnchanged,
  verifyChecksum,
} from '../engine/index.js';
import {
  checkMemory,
  type MemoryReport,
  placeModel,
  prepareEngine,
  requireImageRoom,
} from '../server/index.js';
import type { Settings } from '../settings/index.js';

/** The result of `decider models check` for one build. */
export interface ModelCheck {
  readonly build: string;
  readonly file: string;
  readonly summary: string;
  readonly profile: string;
  /** Origin of the profile: the GGUF, the manifest, or neither. */
  readonly source: ModelFacts['source'];
  readonly contextLength: number;
  /** Null if it reads no images. */
  readonly images: {
    readonly projector: string;
    readonly side: number;
    readonly budgets: readonly number[];
  } | null;
  /** By `<type>`, and by `<type>.<bucket>` of option counts. */
  readonly temperatures: ModelFacts['temperatures'];
  /** The question types whose temperatures `decider eval --fit` found. */
  readonly fitted: readonly string[];
  /** Label to token: A to Z, and pairs of letters. */
  readonly labels: Readonly<Record<string, number>>;
  /** The most options of a question, and why not more than the letters; null if there are more. */
  readonly options: { readonly max: number; readonly lettersOnly: string | null };
  /** Estimated, by device, when a server runs with these settings; null if it could not be estimated. */
  readonly memory: readonly DeviceMemory[] | null;
  /** Why the memory could not be estimated; null if it was. */
  readonly memoryFailure: string | null;
  /** The answer to a question about the sky; a wrong one hints at damaged weights. */
  readonly answer: unknown;
}

/** Bytes that a build needs on a device, and what the device has. */
interface DeviceMemory extends MemoryNeed {
  /** Absent if unknown. */
  readonly free: number | undefined;
}

const QUESTION: Question = {
  name: FIRST_QUESTION.name,
  type: 'choice',
  instructions: FIRST_QUESTION.instructions,
  options: FIRST_QUESTION.labels.map((label) => ({ key: label, name: label, description: null })),
};

/**
 * Estimates the memory of the named builds of a catalog, or of all if none is named; verifies them, loads each in a
 * separate process, verifies its profile and asks it a question. Throws MemoryError if together they do not fit,
 * ModelError for the first that fails, and the reason of the stop signal.
 */
export async function* checkBuilds(
  { engine, data }: Pick<Settings, 'engine' | 'data'>,
  catalog: Catalog,
  names: readonly string[],
  notice: (sentence: string) => void,
  stop?: AbortSignal,
): AsyncGenerator<ModelCheck> {
  const named = names.length === 0 ? catalog.builds : names.map((name) => requireBuild(catalog, name));
  const builds = [...new Set(named)];
  const prepared = prepareEngine(engine, notice);
  const { backend } = prepared;
  const memory = await checkMemory(engine, prepared, builds, { data, stop });
  for (const build of builds) {
    const { devices, bounds, threads } = placeModel(prepared, engine, build.model);
    const [device = ''] = devices;
    requireImageRoom(build, bounds);
    const files = await verifyChecksum(build, stop);
    const facts = await checkModel({ backend, device, build, threads }, stop);
    for (const file of files) requireUnchanged(file);
    yield describe(build, facts, memory);
  }
}

function requireBuild(catalog: Catalog, name: string): CatalogBuild {
  const build = catalog.find(name);
  if (build === undefined)
    throw new ModelError(`The manifest has no model ${name}. Run: decider models list`);
  return build;
}

function describe(
  { id, path, temperatures: fitted }: CatalogBuild,
  facts: ModelFacts,
  memory: MemoryReport,
): ModelCheck {
  const { summary, profile, source, contextLength, images, temperatures, logits } = facts;
  const { labels } = facts.verified;
  return {
    build: id,
    file: path,
    summary,
    profile,
    source,
    contextLength,
    images: images === null ? null : { projector: images.kind, side: images.side, budgets: IMAGE_BUDGETS },
    temperatures,
    fitted: [...new Set(Object.keys(fitted).map((key) => key.split('.')[0] as string))],
    labels: Object.fromEntries(labels.list.map(({ text, token }) => [text, token])),
    options: { max: labels.list.length, lettersOnly: labels.lettersOnly },
    memory: memoryOf(id, memory),
    memoryFailure: memory.builds.find(({ build }) => build === id)?.failure ?? null,
    answer: JSON.parse(
      answerJson(
        answer(QUESTION, logits, readTemperatures(temperatures).of('choice', QUESTION.options.length)),
      ),
    ),
  };
}

function memoryOf(id: string, { builds, spaces }: MemoryReport): DeviceMemory[] | null {
  const needs = builds.find(({ build }) => build === id)?.needs?.[0];
  if (needs === undefined) return null;
  const free = (device: string) => spaces.find((space) => space.device === device)?.free;
  return needs.map((need) => ({ ...need, free: free(need.device) }));
}
