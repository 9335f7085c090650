// Kills of commands on the data folder, and of the server, while batches and live requests run.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { storeExists } from '../../src/storage/index.js';
import { type Command, decider, run } from '../support/cli.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const KILLED = new URL('../support/store/killed-before-call.js', import.meta.url);
const KILLS = scaled({ short: 1, long: 4 }, 'KILLS');
const LINES = 40;
/** Units per token of a batch line, at the default prices. */
const PRICE = 750n;
/** For a busy machine. */
const PATIENCE_MS = 240_000;
/** About as many calls of the file system as follow the first that names the file, in the process that is killed. */
const CALLS = { backup: 16, restore: 35, request: 7, change: 22 };

const file = Array.from({ length: LINES }, (_, at) =>
  JSON.stringify({
    custom_id: `line-${at}`,
    model: 'tiny',
    state: `Case ${at % 7}`,
    questions: { q: { type: 'noul', instructions: `Is it ${at}?` } },
  }),
).join('\n');

/** What bash does before a process that is killed before call `call` after the first that names `path`. */
const killedBefore = (path: string, call: number) =>
  `export KILL_IN=${path} KILL_BEFORE=${call} NODE_OPTIONS=--import=${KILLED};`;

/** A server that is started again and again on one data folder, with a client that always asks it something. */
class Served {
  readonly data: string;
  private command: Command | null = null;
  private url = '';
  private token = '';
  private isLoaded = true;
  private readonly load: Promise<void>;

  constructor(
    private readonly t: Test,
    readonly environment: Readonly<Record<string, string>>,
  ) {
    this.data = environment.DECIDER_DATA as string;
    this.load = this.askOnAndOn();
  }

  async start(shell = '', token = this.token): Promise<void> {
    const command = decider(this.t, ['serve'], this.environment, shell);
    const url = (await command.line(/^listening on /)).slice('listening on '.length);
    this.token = token || (await command.line(/^token: /)).slice('token: '.length);
    await command.line(/^try: /);
    this.command = command;
    this.url = url;
  }

  get currentToken(): string {
    return this.token;
  }

  get hasEnded(): boolean {
    return this.command?.child.signalCode === 'SIGKILL';
  }

  async kill(): Promise<void> {
    await this.command?.kill();
  }

  async end(): Promise<void> {
    this.isLoaded = false;
    await this.kill();
    await this.load;
  }

  /** Resolves with null if the server ends meanwhile. */
  submit(): Promise<string | null> {
    return this.ask('', { method: 'POST', body: file }).then(
      (text) => (JSON.parse(text) as { id: string }).id,
      (error: Error) => {
        if (!this.hasEnded && !error.message.includes('fetch')) throw error;
        return null;
      },
    );
  }

  /** Waits for every batch of the key. Returns the results of each as lines, by its id. */
  async results(): Promise<Map<string, string[]>> {
    const { data } = JSON.parse(await this.ask('')) as { data: { id: string }[] };
    const all = new Map<string, string[]>();
    for (const { id } of data) {
      const isDone = async () =>
        (JSON.parse(await this.ask(`/${id}`)) as { results_available: boolean }).results_available;
      await until(isDone, PATIENCE_MS);
      all.set(id, (await this.ask(`/${id}/results`)).trimEnd().split('\n'));
    }
    return all;
  }

  private async ask(path: string, init: RequestInit = {}): Promise<string> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/jsonl' };
    const response = await fetch(`${this.url}/v1/batches${path}`, { headers, ...init });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.text();
  }

  private async askOnAndOn(): Promise<void> {
    const body = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });
    while (this.isLoaded) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
      if (this.url === '') continue;
      // It may be dead.
      const asked = fetch(`${this.url}/v1/decide`, { method: 'POST', headers, body });
      await asked.then((response) => response.arrayBuffer()).catch(() => {});
    }
  }
}

/** Every line of every batch was answered, and charged once. */
async function checkBooks(t: Test, served: Served, acknowledged: readonly string[]): Promise<void> {
  const results = await served.results();
  for (const id of acknowledged) t.ok(results.has(id), `${id} was acknowledged`);
  let tokens = 0;
  for (const [id, lines] of results) {
    t.equal(lines.length, LINES);
    for (const line of lines) {
      const { status, usage } = JSON.parse(line) as { status: number; usage?: { input_tokens: number } };
      if (status !== 200) t.fail(`${id}: ${line}`);
      tokens += usage?.input_tokens ?? 0;
    }
  }
  await served.end();
  const store = openStore(served.data);
  // If a process was killed right after a commit, LMDB shows that commit only after the next write.
  store.change(() => {});
  t.strictSame(reconcile(store).problems, []);
  const rows = [...store.table('usage').entries()].filter(({ key }) => key[4] === 'batch');
  const sum = (value: (row: (typeof rows)[number]['value']) => bigint) =>
    rows.reduce((total, row) => total + value(row.value), 0n);
  t.equal(
    sum(({ requests }) => BigInt(requests)),
    BigInt(results.size * LINES),
    'each line is charged once',
  );
  t.equal(
    sum(({ amount }) => BigInt(amount)),
    BigInt(tokens) * PRICE,
  );
  await store.close();
}

test(`${KILLS} kills each of backups, restores and changes of the master key beside a server that runs batches`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const environment = {
    DECIDER_PORT: '0',
    DECIDER_DATA: join(dataFolder(t), 'data'),
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_ENGINE_EXACT: 'true',
    DECIDER_ENGINE_ANSWER_CACHE_MB: '0',
    DECIDER_LOG_LEVEL: 'silent',
  };
  const served = new Served(t, environment);
  const { data } = served;
  const acknowledged: string[] = [];
  const submit = async () => {
    const id = await served.submit();
    if (id !== null) acknowledged.push(id);
  };
  const succeed = async (folder: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(t, args, { ...environment, DECIDER_DATA: folder });
    t.equal(code, 0, `${args[0]}: ${stdout}${stderr}`);
  };
  /** Runs commands in a process that is killed, KILLS times, and `check` after each. */
  const killed = async (
    command: readonly string[],
    folder: string,
    path: string,
    calls: number,
    check: () => Promise<void>,
  ) => {
    let kills = 0;
    for (let attempt = 0; kills < KILLS && attempt < KILLS * 10; attempt += 1) {
      const shell = killedBefore(path, next.integer(calls));
      const started = decider(t, command, { ...environment, DECIDER_DATA: folder }, shell);
      const { code, stderr } = await started.end();
      if (started.child.signalCode === 'SIGKILL') kills += 1;
      else t.equal(code, 0, stderr);
      await check();
    }
    t.equal(kills, KILLS, String(command[0]));
  };

  await served.start();
  const backup = join(dataFolder(t), 'backup');
  await submit();
  await killed(['backup', backup], data, backup, CALLS.backup, async () => {
    if (existsSync(backup)) rmSync(backup);
    await submit();
    await succeed(data, 'backup', backup);
    await succeed(data, 'verify');
    rmSync(backup);
  });

  await submit();
  await succeed(data, 'backup', backup);
  const elsewhere = join(dataFolder(t), 'data');
  const clear = () => {
    rmSync(elsewhere, { recursive: true, force: true });
    cpSync(join(data, 'master.key'), join(elsewhere, 'master.key'));
  };
  const token = served.currentToken;
  clear();
  await killed(['restore', backup], elsewhere, elsewhere, CALLS.restore, async () => {
    if (!storeExists(elsewhere)) await succeed(elsewhere, 'restore', backup);
    await succeed(elsewhere, 'verify');
    clear();
  });
  await succeed(elsewhere, 'restore', backup);

  await killed(['rekey'], data, 'rekey.json', CALLS.request, async () => {
    await succeed(data, 'rekey');
    await succeed(data, 'verify');
  });
  let kills = 0;
  for (let attempt = 0; kills < KILLS && attempt < KILLS * 10; attempt += 1) {
    await served.kill();
    await served.start(killedBefore('master.key.next', next.integer(CALLS.change)));
    const submitted = submit();
    const { code } = await run(t, ['rekey'], environment);
    await submitted;
    // The answer may be the last thing that the killed server did.
    if (code !== 0) await until(() => served.hasEnded, PATIENCE_MS);
    if (served.hasEnded) {
      kills += 1;
      await succeed(data, 'verify');
      await served.start();
    }
    await succeed(data, 'verify');
    t.notOk(existsSync(join(data, 'master.key.next')) && code === 0);
  }
  t.equal(kills, KILLS, 'of the server');
  await submit();
  await checkBooks(t, served, acknowledged);

  const restored = new Served(t, { ...environment, DECIDER_DATA: elsewhere });
  await restored.start('', token);
  await succeed(elsewhere, 'doctor');
  await checkBooks(t, restored, []);
});
