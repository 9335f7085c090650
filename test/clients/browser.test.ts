import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { NO_BROWSER, startBrowser } from '../support/browser.js';
import { uwsMissing } from '../support/http/serving.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';

/** A page of another origin, which has the client. */
async function otherOrigin(t: Test): Promise<string> {
  const client = readFileSync(join(ROOT, 'clients/typescript/client.js'));
  const server = createServer((request, response) => {
    const isClient = request.url === '/client.js';
    response.setHeader('content-type', isClient ? 'text/javascript' : 'text/html');
    response.end(isClient ? client : '<!doctype html><title>Another origin</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs in the page: every kind of call, and what a page may read of the responses. */
const CALLS = `async ({ url, token, image }) => {
  const { choice, Decider, noul } = await import('/client.js');
  const decider = new Decider({ url, token });
  const bytes = Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0));
  const questions = { angry: noul('Is it?'), team: choice('Which?', ['billing', 'sales']) };
  const { answers, info } = await decider.decide({ state: 'x', questions });
  const file = new File([bytes, new Uint8Array(80 * 1024)], 'parcel.png');
  const pictured = await decider.decide({ state: '[p]', images: { '[p]': file }, questions });
  const lines = [1, 2, 3].map((at) => ({ custom_id: 'case-' + at, model: 'tiny', state: 'x', questions }));
  const results = [];
  for await (const { custom_id } of decider.batches.run(lines, { pollMs: 10 })) results.push(custom_id);
  const refused = await decider.decide({ state: 'x', questions: {} }).catch((error) => error);
  const wrong = await new Decider({ url, token: 'dk_wrong' }).limits().catch((error) => error);
  return {
    choice: answers.team.choice,
    pictured: pictured.usage.output_tokens,
    results,
    requestId: info.requestId,
    rates: info.headers.get('x-ratelimit-remaining-requests'),
    timing: info.headers.get('server-timing'),
    refused: [refused.type, refused.status, refused.requestId !== null],
    wrong: wrong.type,
    model: (await decider.models()).data[0].id,
  };
}`;

for (const transport of ['node', 'uws'] as const) {
  const skip = NO_BROWSER || (transport === 'uws' && uwsMissing);
  test(`a page of a listed origin calls the server (${transport})`, { skip }, async (t) => {
    const [browser, origin] = [await startBrowser(t), await otherOrigin(t)];
    const models = modelsFolder(dataFolder(t), {}, {}, 'gemma4v');
    const settings = { DECIDER_HTTP_CORS_ORIGINS: origin, DECIDER_HTTP_TRANSPORT: transport };
    const { url, headers } = await startTestServer(t, settings, models);
    const argument = {
      url,
      token: headers.authorization.replace('Bearer ', ''),
      image: readFileSync(join(ROOT, 'examples/parcel.png')).toString('base64'),
    };
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    t.match(await page.evaluate(`(${CALLS})(${JSON.stringify(argument)})`), {
      choice: /^(billing|sales)$/,
      pictured: 2,
      results: ['case-1', 'case-2', 'case-3'],
      requestId: /^req_/,
      rates: /^\d+$/,
      timing: /prepare;dur=/,
      refused: ['invalid_questions', 422, true],
      wrong: 'unauthorized',
      model: 'tiny',
    });
    const other = await otherOrigin(t);
    await page.goto(other);
    const failed = `(${CALLS})(${JSON.stringify(argument)}).catch((error) => error.type)`;
    t.equal(await page.evaluate(failed), 'connection_lost', 'an origin that is not listed');
  });
}
