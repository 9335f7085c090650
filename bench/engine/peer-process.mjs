// node-llama-cpp's decision context in its own process, started by peer.ts. Answers requests and reports their time, once
// all of its threads are idle.

import { untilQuiet } from '../../dist/bench/engine/quiet.js';
import { getLlama } from '../../native/llama/node_modules/node-llama-cpp/dist/index.js';

const contexts = new Map();
let model;
let threads;

const handlers = {
  async open(options) {
    threads = options.threads;
    const llama = await getLlama({
      gpu: options.gpu,
      build: 'never',
      progressLogs: false,
      logLevel: 'error',
      maxThreads: threads,
    });
    model = await llama.loadModel({ modelPath: options.model, ...(options.gpu && { gpuLayers: 'max' }) });
    return {};
  },

  async run({ requests, together, parallelQuestions }) {
    const context = await contextOf(parallelQuestions);
    const ask = ({ state, questions }) => context.decideWithMeta(state, questionsOf(questions));
    const answers = [];
    const cpu = process.cpuUsage();
    const start = performance.now();
    if (together) answers.push(...(await Promise.all(requests.map(ask))));
    else for (const request of requests) answers.push(await ask(request));
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    await untilQuiet();
    return { ms, cpuMs: (user + system) / 1_000 };
  },

  /** The tokens of one request on an empty context. */
  async count({ request: { state, questions } }) {
    const context = await model.createDecisionContext({ parallelQuestions: 2, threads });
    const { tokenUsage } = await context.decideWithMeta(state, questionsOf(questions));
    await context.dispose();
    return tokenUsage.input;
  },
};

function questionsOf(questions) {
  const choice = ({ instructions, options }) => ({
    type: 'choice',
    instruction: instructions,
    criteria: Object.fromEntries(options.map((option) => [option, option])),
  });
  return Object.fromEntries(questions.map((question, index) => [`question ${index}`, choice(question)]));
}

/** The library's defaults, except for the number of parallel questions. */
async function contextOf(parallelQuestions) {
  if (!contexts.has(parallelQuestions)) {
    contexts.set(parallelQuestions, await model.createDecisionContext({ parallelQuestions, threads }));
    await untilQuiet();
  }
  return contexts.get(parallelQuestions);
}

process.on('message', async ({ task, ...options }) => {
  try {
    process.send({ result: await handlers[task](options) });
  } catch (error) {
    process.send({ error: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit());
