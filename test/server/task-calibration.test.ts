// Whether a fit is in force for the answers that the server gives now: its temperatures may change, and a request may ask for a
// mean over several orders of the options.
import { test } from 'tap';
import { ChangingModels } from '../support/changing-models.js';
import { startTestServer } from '../support/server.js';

const PATH = '/v1/tasks/mail';
const TASK = {
  questions: { n: { type: 'noul' }, c: { type: 'choice', criteria: ['a', 'b', 'c'] } },
  target_error: 0.5,
  confidence: 0.5,
};
const LABELS = 40;
const STATES = Array.from({ length: LABELS }, (_, at) => `${at} parcels`);
const WARNINGS = ['n', 'c'].map((question) => ({ type: 'fit_outdated', question }));

test('a fit is in force for answers with its temperatures, and in one order of the options', async (t) => {
  const models = new ChangingModels(t.testdir());
  const file = models.model(1);
  const serve = (noul: number) => models.serve([{ date: '20260101', ...file, temperatures: { noul } }]);
  serve(2);
  const server = await startTestServer(t, {}, models.path);
  const { headers } = server;
  const call = (path: string, method: string, body?: string, own = {}) =>
    fetch(server.url + PATH + path, { method, headers: { ...headers, ...own }, ...(body && { body }) });
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const read = async (response: Promise<Response>): Promise<any> => (await response).json();
  const show = () => read(call('', 'GET'));
  const decide = async (state: string, rotations = '1') => {
    const own = { 'service-option-rotations': rotations };
    const response = await call('/decide', 'POST', JSON.stringify({ state }), own);
    const { answers } = await read(Promise.resolve(response));
    const expected = { n: answers.n.noul >= 0.5, c: answers.c.choice };
    const accept = [answers.n.accept, answers.c.accept];
    return { accept, label: JSON.stringify({ request_id: response.headers.get('x-request-id'), expected }) };
  };
  const labelAll = async (rotations?: string) => {
    const lines = [];
    for (const state of STATES) lines.push((await decide(state, rotations)).label);
    t.equal((await call('/labels', 'POST', lines.join('\n'))).status, 200);
  };
  const fit = () => read(call('/fit', 'POST'));
  const reload = async (noul: number) => {
    serve(noul);
    await server.reload(server.settings);
  };
  const acceptOf = async (rotations?: string) => (await decide(STATES[0] as string, rotations)).accept;

  await call('', 'PUT', JSON.stringify(TASK));
  await labelAll('3');
  t.match(await fit(), { questions: { n: { labels: LABELS }, c: { refused: 'too_few_labels', labels: 0 } } });
  await labelAll();
  const first = await fit();
  t.match(first.questions, {
    n: { labels: 2 * LABELS, threshold: { threshold: Number } },
    c: { labels: LABELS, threshold: { threshold: Number } },
  });
  t.strictSame(await acceptOf(), [true, true]);
  t.strictSame(await acceptOf('3'), [true, null]);

  await reload(1);
  t.strictSame(await acceptOf(), [null, null]);
  t.match(await show(), { fit: null, drift: null, warnings: WARNINGS });
  const refused = await fit();
  t.match(refused, { type: 'too_few_labels', questions: { n: { labels: 0 }, c: { labels: 0 } } });

  await reload(2);
  t.strictSame(await acceptOf(), [true, true], 'the temperatures of the fit are in use again');
  t.match(await show(), { fit: first, warnings: [] });

  await reload(1);
  await labelAll();
  t.match((await fit()).questions, { n: { labels: LABELS }, c: { labels: LABELS } });
  t.strictSame(await acceptOf(), [true, true]);
  t.strictSame((await show()).warnings, []);
});
