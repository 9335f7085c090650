import { type Test, test } from 'tap';
import { measureDownload } from '../../bench/batch/download.js';
import { lineTexts, textsFile, wordsFile } from '../../bench/batch/files.js';
import { measureLatency } from '../../bench/batch/latency.js';
import { MODEL, modelsFolder } from '../../bench/batch/models.js';
import { measureSubmit } from '../../bench/batch/submit.js';
import { measureThroughput } from '../../bench/batch/throughput.js';
import { smallestModel } from '../../bench/engine/models.js';
import { openOurs, settingsOf } from '../../bench/engine/ours.js';
import { WatchedServer } from '../../bench/loop/server.js';
import { planCells } from '../../src/engine/wave/wave-types.js';

test('files have the lines and the bytes asked for; lines have 60 to 400 tokens', async (t) => {
  const file = wordsFile(MODEL, 100, 60_000);
  t.equal(file.toString().split('\n').length, 100);
  t.ok(Math.abs(file.length - 60_000) < 3_000, `${file.length}`);
  const ours = await openSmallest(t);
  const tokens = lineTexts(50, 'round').map((asked) => planCells(ours.plan(asked)));
  t.ok(Math.min(...tokens) >= 55 && Math.max(...tokens) <= 440, tokens.join(' '));
  t.equal(textsFile(MODEL, lineTexts(3, 'round')).toString().split('\n').length, 3);
});

test('every part is measured', async (t) => {
  const server = await WatchedServer.start('node', await modelsFolder(smallestModel()));
  t.teardown(() => server.stop());
  const file = wordsFile(MODEL, 300, 100_000);
  const submitted = await measureSubmit(server, file, 2);
  t.equal(submitted.rounds.length, 2);
  t.ok(submitted.ratio > 0 && submitted.pauseMs > 0 && Number.isFinite(submitted.bodies.all));
  const downloaded = await measureDownload(server, file);
  t.equal(downloaded.lines, 300);
  t.ok(downloaded.bytes > 300 * 100 && downloaded.ms > 0);
  const ours = await openSmallest(t);
  const { ratio } = await measureThroughput(server, ours, { lines: 8, batches: 2, rounds: 1 });
  t.ok(ratio > 0 && Number.isFinite(ratio), `${ratio}`);
  const latency = await measureLatency(server, { requests: 3, waveMs: 10 });
  t.ok(latency.idle > 0 && latency.busy > 0);
  t.equal(latency.halfWave, 5);
});

async function openSmallest(t: Test) {
  const ours = await openOurs(smallestModel(), settingsOf('cpu', 1));
  t.teardown(() => ours.close());
  return ours;
}
