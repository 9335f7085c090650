// Evaluates full prompts with node-llama-cpp, the engine ours is compared with, in a process of its own.
// Standard input: {model, prompts: [{tokens, options}]}. Standard output: the options' raw logits per prompt.
import { text } from 'node:stream/consumers';
import { getLlama } from '../../native/llama/node_modules/node-llama-cpp/dist/index.js';

const { model: modelPath, prompts } = JSON.parse(await text(process.stdin));
const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false, logLevel: 'error' });
const model = await llama.loadModel({ modelPath });
// One decode per prompt: ggml sums the attention of fewer than 64 tokens in 16 bits, and a batch of 512 would
// leave such a rest. One thread, since ggml's threads wait in a loop for a core that another test has.
const context = await model.createContext({
  contextSize: 4_096,
  batchSize: 4_096,
  sequences: 1,
  flashAttention: true,
  threads: 1,
});
const sequence = context.getSequence();
const results = [];
for (const { tokens, options } of prompts) {
  await sequence.clearHistory();
  const last = [tokens.at(-1), { generateNext: { logits: { filter: { tokens: options } } } }];
  const output = await sequence.controlledEvaluate([...tokens.slice(0, -1), last]);
  const { logits } = output.at(-1).next;
  results.push(options.map((token) => logits.get(token)));
}
process.stdout.write(JSON.stringify(results));
await llama.dispose();
