// Part 2: how fast is the engine with a 12B, and its neighbours on the same machine?
import { compileSteps } from './compile-here.js';
import type { Kit } from './kit.js';
import { measureLlamaServer } from './llama-server.js';
import { makeModel, modelFolder, type Weights, weightType } from './models.js';
import type { Step } from './steps.js';
import { tuneModel } from './tune.js';

interface Sizes {
  readonly tuneMinutes: number;
  readonly engineMinutes: number;
  /** Of bench:engine, and of llama.cpp's server. */
  readonly cases: string;
  readonly serverRounds: number;
}

/** On a CPU, only so much that every step runs. */
const SIZES: Readonly<Record<Kit['backend'], Sizes>> = {
  cuda: {
    tuneMinutes: 2,
    engineMinutes: 1,
    cases: 'one_question,sixteen_questions,eight_by_four_concurrent,short_real,one_state',
    serverRounds: 3,
  },
  cpu: { tuneMinutes: 0.05, engineMinutes: 0.05, cases: 'one_question', serverRounds: 1 },
};

export function part2(kit: Kit): Step[] {
  return [
    ...compileSteps(kit),
    ...withWeights(kit, 'full', true),
    ...withWeights(kit, 'q8_0', kit.backend === 'cuda'),
  ];
}

function withWeights(kit: Kit, weights: Weights, tunes: boolean): Step[] {
  const { tuneMinutes, engineMinutes, cases, serverRounds } = SIZES[kit.backend];
  const type = weightType(kit, weights);
  // Each step makes the model if the one before could not; otherwise that takes no time.
  const file = async (stop: AbortSignal) => (await makeModel(kit, weights, stop)).file;
  const tune: Step = {
    name: `tune, ${type}`,
    limit: kit.backend === 'cuda' ? 240 : 60,
    async run({ stop }) {
      await file(stop);
      return tuneModel(kit, modelFolder(kit, weights), tuneMinutes, stop);
    },
  };
  return [
    { name: `make the model, ${type}`, limit: 150, run: ({ stop }) => makeModel(kit, weights, stop) },
    {
      name: `bench:engine, ${type}`,
      limit: 150,
      async run({ stop }) {
        const args = ['--model', await file(stop), '--backend', kit.backend, '--cases', cases];
        if (kit.backend === 'cpu') args.push('--threads', '1');
        return kit.benchmark('engine', [...args, '--minutes', String(engineMinutes)], stop);
      },
    },
    {
      name: `llama-server, ${type}`,
      limit: 100,
      async run(context) {
        const sizes = { cases, rounds: serverRounds };
        return measureLlamaServer(kit, await file(context.stop), sizes, context);
      },
    },
    ...(tunes ? [tune] : []),
  ];
}
