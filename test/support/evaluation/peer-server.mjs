// A System One server that is not this project's: node-llama-cpp's decision context behind HTTP. Argument: a GGUF.
// Prints its URL when it can answer; ends with its standard input.
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { json } from 'node:stream/consumers';
import { getLlama } from '../../../native/llama/node_modules/node-llama-cpp/dist/index.js';

const [, , modelPath] = process.argv;
const llama = await getLlama({
  gpu: false,
  build: 'never',
  progressLogs: false,
  logLevel: 'error',
  maxThreads: 1,
});
const model = await llama.loadModel({ modelPath });
const context = await model.createDecisionContext({ parallelQuestions: 4, threads: 1 });

/** The library has no lists of labels, no missing instructions and no one-sided criteria. */
function questionOf({ type, instructions, criteria }) {
  const instruction = instructions ?? 'Decide.';
  if (type === 'noul') return { type, instruction };
  if (type === 'score') return { type, instruction, criteria };
  const labels = Array.isArray(criteria) ? criteria.map((label) => [label, null]) : Object.entries(criteria);
  return { type, instruction, criteria: Object.fromEntries(labels) };
}

function answerOf(answer) {
  if (answer.type === 'noul') return { type: 'noul', noul: answer.value };
  if (answer.type === 'choice') return answer;
  const { type, score, confidence, probabilities } = answer;
  const level = probabilities.indexOf(Math.max(...probabilities));
  return { type, level, score, confidence, probabilities: { ...probabilities } };
}

const mapped = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([name, each]) => [name, map(each)]));

const server = createServer(async (request, response) => {
  const { state, questions } = await json(request);
  const document = typeof state === 'string' ? state : JSON.stringify(state, null, 2);
  const { answers, tokenUsage } = await context.decideWithMeta(document, mapped(questions, questionOf));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      model: basename(modelPath),
      answers: mapped(answers, answerOf),
      usage: { input_tokens: tokenUsage.input, output_tokens: tokenUsage.output },
    }),
  );
});
// By default, node closes a connection that was unused for 5 seconds, also while the next request is on its way.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on('end', () => process.exit());
