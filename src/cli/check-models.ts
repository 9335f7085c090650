import { IMAGE_BUDGETS } from '../api/index.js';
import { answer, answerJson, type Question } from '../decide/index.js';
import {
  Catalog,
  type CatalogBuild,
  checkModel,
  FIRST_QUESTION,
  LABELS,
  ModelError,
  type ModelFacts,
  readManifest,
  requireUnchanged,
  verifyChecksum,
} from '../engine/index.js';
import { prepareEngine, requireImageRoom } from '../server/index.js';
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
  readonly temperatures: Readonly<Record<Question['type'], number>>;
  /** Letter to token. */
  readonly letters: Readonly<Record<string, number>>;
  /** The answer to a question about the sky; a wrong one hints at damaged weights. */
  readonly answer: unknown;
}

const QUESTION: Question = {
  name: FIRST_QUESTION.name,
  type: 'choice',
  instructions: FIRST_QUESTION.instructions,
  options: FIRST_QUESTION.labels.map((label) => ({ key: label, name: label, description: null })),
};

/**
 * Verifies the named builds, or all of them if none is named; loads each in a separate process, verifies its profile and
 * asks it a question. Throws ModelError for the first that fails.
 */
export async function* checkBuilds(
  { models, engine }: Pick<Settings, 'models' | 'engine'>,
  names: readonly string[],
  notice: (sentence: string) => void,
): AsyncGenerator<ModelCheck> {
  const catalog = new Catalog(await readManifest(models), models);
  const builds = names.length === 0 ? catalog.builds : names.map((name) => requireBuild(catalog, name));
  const { backend, device, bounds, threads } = prepareEngine(engine, notice);
  for (const build of new Set(builds)) {
    requireImageRoom(build, bounds);
    const files = await verifyChecksum(build);
    const facts = await checkModel({ backend, device, build, threads });
    for (const file of files) requireUnchanged(file);
    yield describe(build, facts);
  }
}

function requireBuild(catalog: Catalog, name: string): CatalogBuild {
  const build = catalog.find(name);
  if (build === undefined)
    throw new ModelError(`The manifest has no model ${name}. Run: decider models list`);
  return build;
}

function describe({ id, path }: CatalogBuild, facts: ModelFacts): ModelCheck {
  const { summary, profile, source, contextLength, images, temperatures, labels, logits } = facts;
  return {
    build: id,
    file: path,
    summary,
    profile,
    source,
    contextLength,
    images: images === null ? null : { projector: images.kind, side: images.side, budgets: IMAGE_BUDGETS },
    temperatures,
    letters: Object.fromEntries(LABELS.map((label, index) => [label, labels[index] as number])),
    answer: JSON.parse(answerJson(answer(QUESTION, logits, temperatures.choice))),
  };
}
