// Started by check-model.ts as a child process: opens a model as a server would, computes an answer, and reports the result.
import { readFileSync, writeSync } from 'node:fs';
import { closeDebugger, endWithParent } from '../../base/index.js';
import type { Addon } from '../addon/addon-types.js';
import { loadAddon } from '../addon/load-addon.js';
import type { CatalogFile } from '../models/catalog.js';
import { ModelError } from '../models/manifest.js';
import { type OpenModel, openModel } from '../models/model.js';
import { type ImageReading, readProjector } from '../models/projector.js';
import { longestPrompt, type Plan, planCells, type WaveBounds } from '../wave/wave-types.js';
import { askOnce } from './ask-once.js';
import type { CheckReport, CheckTask, ModelFacts } from './check-messages.js';
import { isFlat } from './compare-first.js';
import { extremeImages, firstPlan } from './first-plans.js';
import { modelSummary } from './model-summary.js';
import { verifiedJoiners } from './verified-joiners.js';

const REPORT_FD = 3;
/** Messages can quote strings of the file of any length. */
const ERROR_CHARACTERS_MAX = 1_000;
/** Longest prompt of the first question; the published formats take fewer than 200 tokens. */
const PROMPT_TOKENS_MAX = 8_192;
const FLAT = 'every option of its first question has the same logit; its weights or metadata are damaged';
const BOUNDS = { waveTokens: 512, microBatchTokens: 512, microBatchTokensMin: 64, sequences: 4 };

closeDebugger();
endWithParent(Number(process.argv[2]));
const task: CheckTask = JSON.parse(readFileSync(0, 'utf8'));
let at = task.build.path;
try {
  report({ facts: check() });
} catch (error) {
  const { message } = error as Error;
  const line = error instanceof ModelError ? message : `${at}: ${message}`;
  report({ error: line.slice(0, ERROR_CHARACTERS_MAX) });
}
// Skips the libraries' destructors, which say nothing about the file.
process.exit(0);

function check(): ModelFacts {
  const { backend, device, build } = task;
  const { addon } = loadAddon(backend);
  begin(build.path);
  const model = openModel(addon, device, build, { mapped: device === '', images: null });
  const { description, profile, source, contextLength } = model;
  for (const { path } of [build, ...build.parts]) {
    begin(path);
    addon.requireFinite(path, task.threads);
  }
  begin(build.path);
  const [logits] = ask(addon, model, [firstPlan(model)]) as [number[]];
  if (isFlat(logits)) throw new ModelError(`${at}: ${FLAT}`);
  const images = build.projector === null ? null : checkImages(addon, model, build.projector);
  return {
    summary: modelSummary(description),
    profile: profile.format.name,
    source,
    contextLength,
    trainedContextLength: description.contextLength,
    images,
    temperatures: profile.temperatures.values,
    verified: profile.verified(),
    joiners: verifiedJoiners(model),
    logits,
  };
}

function checkImages(addon: Addon, model: OpenModel, { path }: CatalogFile): ImageReading | null {
  begin(path);
  const images = readProjector(addon, model.build, model.description);
  if (images === null) return null;
  const reader = { ...model, images };
  const plans = extremeImages(images).map((image) => firstPlan(reader, image));
  ask(addon, reader, plans);
  return images;
}

/** The first question's logits for each plan. */
function ask(addon: Addon, model: OpenModel, plans: readonly Plan[]): number[][] {
  const answers = askOnce(addon, model, plans, boundsFor(model, plans), task.threads, task.device);
  return answers.map(([first]) => [...(first as Float32Array)]);
}

function boundsFor({ contextLength }: OpenModel, plans: readonly Plan[]): WaveBounds {
  const longest = Math.max(...plans.map(longestPrompt));
  const most = Math.max(0, Math.min(contextLength, PROMPT_TOKENS_MAX));
  if (longest > most) {
    throw new ModelError(`${at}: its first question takes ${longest} tokens, which is more than ${most}`);
  }
  return { ...BOUNDS, cells: Math.max(...plans.map(planCells)) };
}

function begin(file: string): void {
  at = file;
  report({ at });
}

function report(line: CheckReport): void {
  writeSync(REPORT_FD, `${JSON.stringify(line)}\n`);
}
