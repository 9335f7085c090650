import { type Test, test } from 'tap';
import { decider } from '../helpers/cli.js';
import { modelsFolder } from '../helpers/server.js';

async function serve(t: Test, environment: Record<string, string>) {
  const command = decider(t, ['serve'], {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
    ...environment,
  });
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  const token = (await command.line(/^token: /)).slice('token: '.length);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const decide = (state: string) =>
    fetch(`${url}/v1/decide`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ state, questions: { q: { type: 'noul', instructions: 'Is it?' } } }),
    });
  return { command, url, decide };
}

test('many threads: a server with engine.threads=512 answers, and ends within its drain', async (t) => {
  const { command, url, decide } = await serve(t, { DECIDER_ENGINE_THREADS: '512' });
  t.match(command.lines.join('\n'), /^engine\.threads is 512, but \d+ cores/m);
  t.equal((await decide('a word '.repeat(100))).status, 200);
  const last = decide('another '.repeat(100));
  t.equal((await fetch(`${url}/health`)).status, 200);
  command.child.kill('SIGTERM');
  t.equal((await last).status, 200);
  t.equal((await command.end()).code, 0);
});
