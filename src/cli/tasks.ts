import { readFileSync } from 'node:fs';
import { LIMITS } from '../api/index.js';
import { namesInJson, showTime, visible, withoutByteOrderMark } from '../base/index.js';
import { DeciderError, type TaskCalls } from '../client/index.js';
import { readWholeBetween } from './arguments.js';
import { print, printError, printJson, printJsonText } from './output.js';
import { entriesOf, indentJson, LastResponse } from './sent-json.js';
import { chosen, fitText, taskText } from './task-text.js';
import { table } from './text-table.js';
import { type ClientOptions, withClient } from './with-client.js';

/** `done`: what may have happened to the task if the server does not say; null: nothing. */
const withTasks = (
  options: ClientOptions,
  done: 'changed' | 'deleted' | 'fitted' | 'promoted' | null,
  work: (tasks: TaskCalls, last: LastResponse) => Promise<void>,
) => {
  const doubt = `The task may have been ${done}: look at decider tasks show before you run the command again.`;
  const last = new LastResponse();
  return withClient(
    options,
    () => (done === null ? null : doubt),
    ({ tasks }) => work(tasks, last),
    async () => last.fetch,
  );
};

/** Prints a task or a fit as the server has sent it: as JSON, or as text with the questions in their order. */
async function printSent(
  { json }: ClientOptions,
  last: LastResponse,
  textWith: (names: readonly string[]) => string,
): Promise<void> {
  const sent = await last.text();
  if (json) printJsonText(indentJson(sent));
  else print(textWith(namesInJson(sent, ['questions'])));
}

/** `decider tasks list` */
export const list = (options: ClientOptions) =>
  withTasks(options, null, async (tasks) => {
    const all = await tasks.list();
    if (options.json) return printJson(all);
    const rows = all.map(({ name, version, model, target_error, updated_at, description }) => [
      name,
      String(version),
      model ?? 'default',
      chosen(target_error),
      showTime(updated_at),
      description ?? '',
    ]);
    print(
      table(['task', 'version', 'model', 'target error', 'changed', 'description'], rows, [
        'version',
        'target error',
      ]),
    );
  });

/** `decider tasks show` */
export const show = (name: string, options: ClientOptions) =>
  withTasks(options, null, async (tasks, last) => {
    const task = await tasks.show(name);
    await printSent(options, last, (names) => taskText(task, names));
  });

/** `decider tasks put`: sends the file as it is, so that the server reads its names in their order. */
export const put = (name: string, file: string, options: ClientOptions) =>
  withTasks(options, 'changed', async (tasks, last) => {
    const task = await tasks.put(name, withoutByteOrderMark(readFileSync(file)).toString());
    await printSent(options, last, (names) => taskText(task, names));
  });

/** `decider tasks delete` */
export const remove = (name: string, options: ClientOptions) =>
  withTasks(options, 'deleted', async (tasks) => {
    const deleted = await tasks.delete(name);
    if (options.json) printJson(deleted);
    else print(`${name} is deleted, with its answers and labels.`);
  });

/** `decider tasks fit`: with too few labels, prints how many each question has and needs. */
export const fit = (name: string, options: ClientOptions) =>
  withTasks(options, 'fitted', async (tasks, last) => {
    try {
      const fitted = await tasks.fit(name);
      await printSent(options, last, (names) => fitText(fitted, names));
    } catch (error) {
      if (error instanceof DeciderError) await printMissing(error, last);
      throw error;
    }
  });

/** What must be true of a task that is promoted. */
interface PromoteOptions extends ClientOptions {
  readonly ifVersion?: string;
  readonly ifBuild?: string;
}

/** `decider tasks promote` */
export const promote = (name: string, options: PromoteOptions) =>
  withTasks(options, 'promoted', async (tasks, last) => {
    const { ifVersion, ifBuild = null } = options;
    const version =
      ifVersion === undefined ? null : readWholeBetween('if-version', ifVersion, 1, LIMITS.taskVersions);
    const task = await tasks.promote(name, { version, model: ifBuild });
    const text = `${name} is answered by ${task.model} from version ${task.version} on.`;
    await printSent(options, last, () => text);
  });

async function printMissing({ questions }: DeciderError, last: LastResponse): Promise<void> {
  if (Object.keys(questions).length === 0) return;
  const names = namesInJson(await last.text(), ['questions']);
  for (const [name, { labels, needed }] of entriesOf(names, questions))
    printError(`${visible(name)}: ${labels} labels, ${needed} needed`);
}
