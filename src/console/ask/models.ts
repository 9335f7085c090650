import type { Limits } from '../api/api-types.js';
import { shortened } from '../ui/format-values.js';
import type { Draft } from './ask-draft.js';

export type LimitsModel = Limits['models'][number];

/** A build is called `<model id>-<yyyymmdd>` (contract 9 rule 2). */
const DATE = /-\d{8}$/;

/** The model of a name, which may be that of a build; '' is the default model. Undefined if the limits do not list it. */
export const modelNamed = (name: string, { models }: Limits): LimitsModel | undefined =>
  name === ''
    ? models.find((each) => each.default)
    : (models.find(({ id }) => id === name) ?? models.find(({ id }) => id === name.replace(DATE, '')));

/** Characters of a name that are shown. */
const SHOWN_CHARACTERS = 80;

/** A name that need be no model's as it is shown: one in a file or a link can have any length. */
export const shownModel = (name: string): string => shortened(name, SHOWN_CHARACTERS);

/** The model that answers a draft; undefined if it is not known. */
export const modelOfDraft = ({ model }: Draft, limits: Limits): LimitsModel | undefined =>
  modelNamed(model, limits);

/** The name of a model that reads images: that of the draft if possible; null if there is none. */
export function imageModel(draft: Draft, limits: Limits): string | null {
  if (modelOfDraft(draft, limits)?.reads_images) return draft.model;
  return limits.models.find((each) => each.reads_images)?.id ?? null;
}

/** What input tokens cost; null if the price of the build is not known. */
export function costOf(tokens: number, build: string, limits: Limits, kind: 'live' | 'batch'): number | null {
  const model = build === '' ? undefined : modelNamed(build, limits);
  return model === undefined ? null : (tokens * model.prices[kind]) / 1_000_000;
}
