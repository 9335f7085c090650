// The cost of comparing answers to a task with the labels of its fit: noting an answer, which every request pays, and adding
// 1,000 noted answers to what is stored, which happens every 5 seconds at most for each task that was asked. The write itself
// is left out: it waits for a disk.
//
//   npm run bench:monitors                  small, usual and largest tasks
//   npm run bench:monitors -- --minutes N   about so long, with fewer rounds
//   npm run bench:monitors -- --json FILE   also write {machine, cases: [{case, note_us, add_ms, bytes}]}
import { LIMITS } from '../src/api/index.js';
import { random, systemClock } from '../src/base/index.js';
import { randomDataKey } from '../src/sealing/index.js';
import { TaskMonitors } from '../src/server/task-monitors.js';
import { answerCode, DriftMonitor } from '../src/statistics/index.js';
import type { Storage } from '../src/storage/index.js';
import { openMonitor, sealMonitor, type Task, type TaskFit, TaskMonitor } from '../src/tasks/index.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, showTimes, table, timesOf, writeJson } from './report.js';

const ROUNDS = 20;
const ANSWERS = 1_000;
const LABELS = 400;
const CASES: ReadonlyArray<readonly [questions: number, options: number]> = [
  [1, 2],
  [4, 4],
  [LIMITS.questions, 26],
];

const values = benchOptions({});
const pace = new Pace({ cases: CASES.length, minutes: values.minutes });
const { number } = random(1);

/** Probabilities of which one is the largest by far, as those of most answers. */
function probabilities(options: number): number[] {
  const chosen = Math.floor(number() * options);
  const rest = (1 - number() ** 3 * (1 - 1 / options)) / options;
  return Array.from({ length: options }, (_, at) => (at === chosen ? 1 - rest * (options - 1) : rest));
}

const cases = CASES.map(([questions, options]) => {
  const version = 1;
  const answer = () => Array.from({ length: questions }, () => probabilities(options));
  const answers = Array.from({ length: ANSWERS }, answer);
  const acceptances = Array.from({ length: questions }, () => ({ temperature: 1, threshold: 0.9 }));
  const promise = { version, targetError: 0.05, confidence: 0.95 };
  const fit: TaskFit = { ...promise, build: 'm', at: 0, acceptances };
  const task = { id: 'task', ...promise, fits: [fit] as readonly TaskFit[] } as Task;
  const names = Array.from({ length: questions }, (_, at) => `question ${at}`);
  const labelled = () => Array.from({ length: LABELS }, () => probabilities(options));
  const references = names.map(() => DriftMonitor.of(labelled()).state());
  const key = randomDataKey();
  let sealed = sealMonitor(key, task, 'm', TaskMonitor.of(fit, names, references));
  const codes = names.map((_, at) => answers.map((each) => answerCode(each[at] as number[])));
  const times = { note: [] as number[], add: [] as number[] };
  // The first round warms up.
  for (const round of pace.rounds(`${questions} × ${options}`, ROUNDS + 1, 2)) {
    const monitors = new TaskMonitors({
      storage: {} as Storage,
      alarms: { observe: async () => {} },
      clock: { ...systemClock, after: () => () => {} },
      log: { error: () => {} },
    });
    const begun = performance.now();
    for (const each of answers)
      monitors.add(task, { reference: 'r', version, build: 'm', probabilities: each });
    const noted = performance.now();
    const monitor = openMonitor(key, task, 'm', sealed) as TaskMonitor;
    monitor.addAnswers(fit, codes);
    sealed = sealMonitor(key, task, 'm', monitor);
    const added = performance.now();
    if (round === 0) continue;
    times.note.push(((noted - begun) * 1_000) / ANSWERS);
    times.add.push(added - noted);
  }
  const [note, add] = [timesOf(times.note), timesOf(times.add)];
  return { case: `${questions} × ${options}`, note, add, bytes: sealed.length };
});

console.log(`${machine()}\n${ANSWERS} answers to one task; median of at most ${ROUNDS} (min)`);
const rows = cases.map((row) => [row.case, showTimes(row.note), showTimes(row.add), showNumber(row.bytes)]);
console.log(table(['questions × options', 'note one, µs', 'add all, ms', 'bytes'], rows));
writeJson(values.json, {
  machine: machine(),
  cases: cases.map(({ case: name, note, add, bytes }) => ({
    case: name,
    note_us: note.median,
    add_ms: add.median,
    bytes,
  })),
});
