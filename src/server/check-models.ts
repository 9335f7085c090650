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
import { prepareEngine, requireImageRoom } from './engines.js';
import type { Settings } from './settings.js';

/** What `decider models check` tells of one build. */
export interface ModelCheck {
  readonly build: string;
  readonly file: string;
  readonly summary: string;
  readonly profile: string;
  /** Where the profile comes from: the GGUF, the manifest, or neither. */
  readonly source: ModelFacts['source'];
  readonly contextLength: number;
  /** How it reads images; null: it reads none. */
  readonly images: {
    readonly projector: string;
    readonly side: number;
    readonly budgets: readonly number[];
  } | null;
  readonly temperatures: Readonly<Record<Question['type'], number>>;
  /** Letter to token. */
  readonly letters: Readonly<Record<string, number>>;
  /** The answer to a question about the sky; weights that answer it wrongly deserve a look. */
  readonly answer: unknown;
}

const QUESTION: Question = {
  name: FIRST_QUESTION.name,
  type: 'choice',
  instructions: FIRST_QUESTION.instructions,
  options: FIRST_QUESTION.labels.map((label) => ({ key: label, name: label, description: null })),
};

/**
 * Verifies each build named (all where none is), and loads, proves and asks it in a process of its own.
 * Throws ModelError at the first that fails.
 */
export async function* checkModels(
  settings: Settings,
  names: readonly string[],
  notice: (sentence: string) => void,
): AsyncGenerator<ModelCheck> {
  const catalog = new Catalog(readManifest(settings.models), settings.models);
  const builds = names.length === 0 ? catalog.builds : names.map((name) => requireBuild(catalog, name));
  const { backend, device, bounds, threads } = prepareEngine(settings, { notice });
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
  if (build === undefined) throw new ModelError(`The manifest has no model ${name}.`);
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
