// Started by bench/devices.ts: BACKEND MODEL REQUESTS OUT. Answers random requests on one backend.
import { writeFileSync } from 'node:fs';
import { COUPLED_PRODUCT_MAX, EXACT, type PlanLogits } from '../../src/engine/index.js';
import { deviceOf, settingsOf } from '../engine/ours.js';
import { randomPlans } from '../exact/plans.js';
import { openInProcess } from '../in-process.js';
import type { AnswerKind } from './answers.js';

const TOGETHER = 8;

const [backendName, file, requests, out] = process.argv.slice(2) as [string, string, string, string];
const { backend, device, bounds } = deviceOf(settingsOf(backendName, 0));
const engine = openInProcess(file, {}, bounds, { backend, device });
const plans = randomPlans(engine.head, engine.labels, Number(requests));
const { head } = engine;
const sharing = { head, idleCellsMax: 4_096, exact: false, coupledProductMax: COUPLED_PRODUCT_MAX };
const alone = () => engine.answer(plans, engine.newState(EXACT));
const kinds: Readonly<Record<AnswerKind, readonly PlanLogits[]>> = {
  alone: alone(),
  again: alone(),
  together: together(),
};
engine.close();
const written = Object.entries(kinds).map(([kind, logits]) => [
  kind,
  logits.flat().map((each) => Array.from(each)),
]);
writeFileSync(out, JSON.stringify(Object.fromEntries(written)));

function together(): PlanLogits[] {
  const state = engine.newState(sharing);
  const found: PlanLogits[] = [];
  for (let start = 0; start < plans.length; start += TOGETHER) {
    found.push(...engine.answer(plans.slice(start, start + TOGETHER), state));
  }
  return found;
}
