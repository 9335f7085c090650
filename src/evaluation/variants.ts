import { OPTION_KINDS } from '../api/index.js';
import { ANY_MODEL, checkRequest, type DecideRequest, openBody, type Question } from '../decide/index.js';
import type { Case } from './cases/case.js';
import { STATE_FORMS, type StateForm } from './report.js';
import { stateForms } from './state-forms.js';

/**
 * A way to ask a case: as its file says, changed to measure a bias, or with the probabilities of its choices averaged over
 * so many orders of their options.
 */
export type VariantName =
  | 'sent'
  | 'other mode'
  | `rotation ${number}`
  | `average ${number}`
  | `form ${StateForm}`;

/** What to ask besides the cases as sent. */
export interface VariantOptions {
  readonly order: boolean;
  readonly format: boolean;
  readonly modes: boolean;
  /** Each at least 2. */
  readonly averages: readonly number[];
}

/** Rotations per case; more options are rotated by evenly spaced steps. */
export const ROTATIONS_MAX = 8;

const NO_FILES = new Map<string, Uint8Array>();
const TERMS = { model: null, files: NO_FILES, format: 'decide', allowedModels: null } as const;

/** The variants of a case, the one as sent first. */
export function variantsOf(asked: Case, { order, format, modes, averages }: VariantOptions): VariantName[] {
  const choices = asked.answers.filter(({ type }) => OPTION_KINDS[type] === 'labels');
  const options = choices.reduce((most, each) => Math.max(most, each.options.length), 1);
  const rotations = order ? Math.min(options, ROTATIONS_MAX) - 1 : 0;
  return [
    'sent',
    ...(modes ? (['other mode'] as const) : []),
    ...Array.from({ length: rotations }, (_, index) => `rotation ${index + 1}` as const),
    ...(options > 1 ? averages.map((count) => `average ${count}` as const) : []),
    ...(format ? STATE_FORMS.map((form) => `form ${form}` as const) : []),
  ];
}

/** How many places a variant rotates the options of a question with so many; 0: it is asked in the order sent. */
export function rotationOf(variant: VariantName, options: number): number {
  const index = /^rotation (\d+)$/.exec(variant)?.[1];
  if (index === undefined) return 0;
  const steps = Math.min(options, ROTATIONS_MAX);
  return Number(index) < steps ? Math.floor((Number(index) * options) / steps) : 0;
}

/** Over how many orders of the options the answers of a variant are averaged. */
export function averageOf(variant: VariantName): number {
  return Number(/^average (\d+)$/.exec(variant)?.[1] ?? 1);
}

/**
 * The body of a variant as JSON. State and questions keep the order and the numbers of the file; other fields are passed
 * on.
 *
 * @param model replaces the model that the case names; null: as the case says
 * @param without other fields that are left out
 */
export function bodyOf(
  asked: Case,
  variant: VariantName,
  model: string | null,
  without: readonly string[] = [],
): string {
  const body = openBody(Buffer.from(asked.request));
  const { fields, sources } = body;
  const json: Record<string, string | undefined> = {
    state: sources.get('state'),
    questions: sources.get('questions'),
  };
  if (variant.startsWith('rotation ') || variant.startsWith('form ')) {
    const { request } = checkRequest(body, TERMS, ANY_MODEL);
    if (variant.startsWith('rotation ')) json.questions = rotatedQuestions(request, variant);
    else json.state = stateForms(request.state)[variant.slice('form '.length) as StateForm];
  }
  if (model !== null) json.model = JSON.stringify(model);
  for (const [name, value] of Object.entries(fields)) {
    if (!without.includes(name)) json[name] ??= JSON.stringify(value);
  }
  return `{${Object.entries(json)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}

function rotatedQuestions({ questions }: DecideRequest, variant: VariantName): string {
  return objectJson(questions.map((question) => [question.name, questionJson(question, variant)]));
}

function questionJson({ type, instructions, options }: Question, variant: VariantName): string {
  const kind = OPTION_KINDS[type];
  const by = kind === 'labels' ? rotationOf(variant, options.length) : 0;
  const rotated = [...options.slice(by), ...options.slice(0, by)];
  const described = rotated.map(({ key, description }) => [key, JSON.stringify(description)] as const);
  const criteria =
    kind === 'levels' ? `[${described.map(([, json]) => json).join(',')}]` : objectJson(described);
  return `{"type":"${type}","instructions":${JSON.stringify(instructions)},"criteria":${criteria}}`;
}

function objectJson(entries: ReadonlyArray<readonly [name: string, json: string]>): string {
  return `{${entries.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
