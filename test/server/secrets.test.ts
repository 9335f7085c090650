import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { systemClock } from '../../src/base/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { createKey } from '../support/access/folder-changes.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { OPERATOR_TOKEN, operatorFetch, operatorSettings } from '../support/operator.js';
import { dataFolder, startTestServer } from '../support/server.js';

/** In every text of a caller. An error may repeat a name the caller gave, so names have a mark of their own. */
const TEXT = 'kauri-text-mark';
const NAME = 'kauri-name-mark';

const question = (over: object) => ({
  [NAME]: { type: 'choice', instructions: TEXT, criteria: { a: TEXT, b: TEXT }, ...over },
});
const BODIES: Record<string, unknown> = {
  answered: { state: TEXT, questions: question({}) },
  'a JSON state': { state: { [TEXT]: [TEXT] }, questions: question({}), more: { [TEXT]: TEXT } },
  'a score': { state: TEXT, questions: question({ type: 'score', criteria: [TEXT, TEXT] }) },
  'a noul': { state: TEXT, questions: question({ type: 'noul', criteria: { true: TEXT, false: TEXT } }) },
  'no state': { questions: question({}) },
  'a wrong type': { state: TEXT, questions: question({ type: TEXT }) },
  'wrong instructions': { state: TEXT, questions: question({ instructions: [TEXT] }) },
  'wrong criteria': { state: TEXT, questions: question({ criteria: TEXT }) },
  'too long': { state: TEXT, questions: question({ instructions: TEXT.repeat(5_000) }) },
  'a model': { state: TEXT, questions: question({}), model: NAME },
  'an image': {
    state: TEXT,
    questions: question({}),
    assets: { [NAME]: { format: TEXT, data_base64: TEXT } },
  },
  'not JSON': `{"state": "${TEXT}", ${TEXT}`,
  'no object': `"${TEXT}"`,
};

for (const transport of TRANSPORTS) {
  test(`no text and no token of a caller in logs, errors, metrics or the data folder (${transport})`, async (t) => {
    const data = dataFolder(t);
    const operator = await operatorSettings();
    const server = await startTestServer(t, {
      DECIDER_DATA: data,
      DECIDER_HTTP_TRANSPORT: transport,
      ...operator,
      DECIDER_LOG_LEVEL: 'debug',
    });
    const { token } = createKey(openStore(data), systemClock, DEFAULT_WORKSPACE);
    const wrong = `dk_${'kauri'.repeat(8)}`;
    const errors: string[] = [];
    const statuses = new Set<number>();
    const send = async (path: string, init: RequestInit) => {
      const response = await fetch(server.url + path, init);
      const body = await response.text();
      statuses.add(response.status);
      if (response.status !== 200) errors.push(body);
    };
    for (const authorization of [`Bearer ${token}`, `Bearer ${wrong}`, TEXT]) {
      for (const body of Object.values(BODIES)) {
        const headers = { authorization, 'content-type': 'application/json', 'x-any': TEXT };
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        await send(`/v1/decide?${TEXT}=${TEXT}`, { method: 'POST', headers, body: text });
      }
      await send('/v1/decide', {
        method: 'POST',
        headers: { authorization, 'content-type': TEXT },
        body: TEXT,
      });
      await send('/v1/decide', {
        method: 'POST',
        headers: { authorization, 'content-encoding': TEXT, 'content-type': 'application/json' },
        body: TEXT,
      });
      for (const method of ['GET', TEXT.toUpperCase()]) {
        await send(`/${TEXT}`, { method, headers: { authorization } });
      }
    }
    t.ok(
      [200, 400, 401, 404, 415, 422].every((status) => statuses.has(status)),
      [...statuses].join(),
    );
    const seen = ['/metrics', '/status', '/ready'].map(async (path) => {
      const response = await operatorFetch(server.operatorUrl as string, path);
      t.equal(response.status, 200, path);
      return response.text();
    });
    const shown = (await Promise.all(seen)).join();
    t.match(shown, /decider_/, 'there are metrics');
    t.notOk(shown.includes(OPERATOR_TOKEN), 'the operator’s token');
    await server.stop();
    t.ok(server.lines.length > errors.length, 'there are logs');
    const places = {
      logs: server.lines.join('\n'),
      errors: errors.join('\n'),
      operator: shown,
      data: readdirSync(data, { recursive: true, encoding: 'utf8' })
        .map((file) => join(data, file))
        .filter((file) => statSync(file).isFile())
        .map((file) => readFileSync(file, 'latin1'))
        .join('\n'),
    };
    for (const [place, content] of Object.entries(places)) {
      for (const secret of [TEXT, token, token.slice('dk_'.length), wrong])
        t.notOk(content.includes(secret), place);
      if (place !== 'errors') t.notOk(content.includes(NAME), place);
    }
  });
}
