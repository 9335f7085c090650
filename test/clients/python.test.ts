import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';

const PYTHON = spawnSync('python3', ['--version']).status === 0;
const skip = PYTHON ? false : 'PYTHON 3 IS NOT INSTALLED: the Python client was NOT tested';
if (!PYTHON) process.stderr.write(`\n*** ${skip} ***\n\n`);

test('clients/python: its tests, against a server', { skip }, async (t) => {
  const server = await startTestServer(t, {}, modelsFolder(dataFolder(t), {}, {}, 'gemma4v'));
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    URL: server.url,
    TOKEN: server.headers.authorization.replace('Bearer ', ''),
    IMAGE: join(ROOT, 'examples/parcel.png'),
  };
  const args = [
    '-W',
    'error',
    '-m',
    'unittest',
    'discover',
    '--start-directory',
    'tests',
    '--top-level-directory',
    '.',
  ];
  const run = promisify(execFile)('python3', args, { cwd: join(ROOT, 'clients/python'), env });
  const { stderr } = await run.catch((error) => error);
  t.match(stderr, /^OK$/m, stderr);
  t.notMatch(stderr, /skipped/);
});
