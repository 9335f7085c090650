import { test } from 'tap';
import { engineThreads } from '../../src/settings/engine-threads.js';

test('many threads: no more compute at a time than there are cores, and the notice says so', async (t) => {
  const cases = [
    { set: 8, contexts: 1, cores: 8, threads: 8 },
    { set: 9, contexts: 1, cores: 8, threads: 8 },
    { set: 512, contexts: 1, cores: 2, threads: 2 },
    { set: 4, contexts: 2, cores: 8, threads: 4 },
    { set: 5, contexts: 2, cores: 8, threads: 4 },
    { set: 3, contexts: 8, cores: 2, threads: 1 },
  ];
  for (const { set, contexts, cores, threads } of cases) {
    const notices: string[] = [];
    const notice = (sentence: string) => void notices.push(sentence);
    t.equal(engineThreads(set, { gpu: false, count: contexts }, notice, cores), threads);
    t.equal(notices.length, threads < set ? 1 : 0);
    if (threads < set) t.match(notices[0], new RegExp(`^engine\\.threads is ${set}, but ${cores} cores`));
  }
});

test('by default all cores but one on a CPU, and four on a GPU', async (t) => {
  const cases = [
    { gpu: false, count: 1, cores: 1, threads: 1 },
    { gpu: false, count: 1, cores: 8, threads: 7 },
    { gpu: false, count: 2, cores: 8, threads: 4 },
    { gpu: true, count: 2, cores: 192, threads: 4 },
    { gpu: true, count: 8, cores: 4, threads: 4 },
    { gpu: true, count: 2, cores: 2, threads: 2 },
  ];
  const notice = (sentence: string) => t.fail(sentence);
  for (const { cores, threads, ...contexts } of cases) {
    t.equal(engineThreads(0, contexts, notice, cores), threads, JSON.stringify({ cores, ...contexts }));
  }
});

test('a setting applies to GPUs too, up to the number of cores', async (t) => {
  const notices: string[] = [];
  const notice = (sentence: string) => void notices.push(sentence);
  t.equal(engineThreads(16, { gpu: true, count: 2 }, notice, 16), 16);
  t.strictSame(notices, []);
  t.equal(engineThreads(17, { gpu: true, count: 2 }, notice, 16), 16);
  t.match(notices, [/^engine\.threads is 17, but 16 cores are available/]);
});
