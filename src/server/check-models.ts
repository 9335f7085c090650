import { IMAGE_BUDGETS } from '../api/index.js';
import { answer, answerJson, planRequest, type Question } from '../decide/index.js';
import {
  askOnce,
  Catalog,
  type CatalogBuild,
  LABELS,
  ModelError,
  type OpenModel,
  openModel,
  readManifest,
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
  readonly source: OpenModel['source'];
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
  /** The answer to `FIRST_QUESTION`, with the weights as they are. */
  readonly answer: unknown;
}

/** Loaded weights that answer this wrongly deserve a look. */
export const FIRST_QUESTION: Question = {
  name: 'sky',
  type: 'choice',
  instructions: 'Which colour is the clear sky at noon?',
  options: ['blue', 'green', 'red'].map((label) => ({ key: label, name: label, description: null })),
};

/**
 * Verifies, loads, proves and asks each build named (all where none is), one after the other.
 * Throws ModelError at the first that fails.
 */
export async function* checkModels(
  settings: Settings,
  names: readonly string[],
  notice: (sentence: string) => void,
): AsyncGenerator<ModelCheck> {
  const catalog = new Catalog(readManifest(settings.models), settings.models);
  const builds = names.length === 0 ? catalog.builds : names.map((name) => requireBuild(catalog, name));
  const { addon, device, bounds } = prepareEngine(settings, { notice });
  for (const build of new Set(builds)) {
    requireImageRoom(build, bounds);
    await verifyChecksum(build);
    const model = openModel(addon, device, build);
    try {
      const { plan, temperatures } = planRequest(
        {
          model: null,
          state: { kind: 'text', value: 'It is noon and there is no cloud.' },
          questions: [FIRST_QUESTION],
          imageBudget: 280,
          assets: [],
        },
        model,
      );
      const [logits] = askOnce(addon, model, plan, bounds, settings['engine.threads'], device);
      const first = answer(FIRST_QUESTION, logits as Float32Array, temperatures[0] as number);
      yield describe(model, JSON.parse(answerJson(first)));
    } finally {
      addon.closeModel(model.handle);
    }
  }
}

function requireBuild(catalog: Catalog, name: string): CatalogBuild {
  const build = catalog.find(name);
  if (build === undefined) throw new ModelError(`The manifest has no model ${name}.`);
  return build;
}

function describe(
  { build, description, profile, source, contextLength, images }: OpenModel,
  first: unknown,
): ModelCheck {
  return {
    build: build.id,
    file: build.path,
    summary: description.summary,
    profile: profile.format.name,
    source,
    contextLength,
    images: images === null ? null : { projector: images.kind, side: images.side, budgets: IMAGE_BUDGETS },
    temperatures: {
      noul: profile.temperatures.of('noul', 2),
      choice: profile.temperatures.of('choice', 3),
      score: profile.temperatures.of('score', 3),
    },
    letters: Object.fromEntries(LABELS.map((label, index) => [label, profile.labels[index] as number])),
    answer: first,
  };
}
