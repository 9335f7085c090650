import type { Command } from 'commander';
import { resultCommand } from './result-command.js';

// The commands that ask a running server over HTTP with a key. Each is imported when it runs.
const batches = () => import('./batches.js');
const tasks = () => import('./tasks.js');

/** Adds `decider batches` and `decider tasks`. */
export function addRemoteCommands(program: Command): void {
  addBatches(program);
  addTasks(program);
}

/** A command with the address of a server and a token. */
const remote = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--url <url>', 'base endpoint of the server', 'http://127.0.0.1:8080')
    .option('--token <token>', 'API token (default: DECIDER_TOKEN)')
    .option('--json', 'print JSON');

function addBatches(program: Command): void {
  const parent = program
    .command('batches')
    .description('submit and manage batches of a running server, over HTTP; erase one as the operator');
  remote(parent, 'submit <file>', 'check a JSON Lines file and submit it')
    .option('--wait', 'wait until the batch finishes, then print the results')
    .option('--out <file>', 'write the results to a file instead of standard output')
    .option('--webhook <url>', 'HTTPS URL to call when the batch finishes')
    .option('--idempotency-key <key>', 'a repeated submission with the same key creates no second batch')
    .action(async (file, options) => (await batches()).submit(file, options));
  parent
    .command('from-cases')
    .description('write the requests of a cases file as the lines of a batch')
    .argument('<cases>', 'JSON Lines file of cases, as for eval')
    .option('--model <id>', 'model to name in the lines, whatever the cases name')
    .option('--format <name>', 'read the file of a public benchmark: boolq, arc, mmlu or hellaswag')
    .option('--out <file>', 'write the lines to a file instead of standard output')
    .action(async (file, options) => (await import('./batch-from-cases.js')).fromCases(file, options));
  remote(parent, 'list', 'list the batches of the API key').action(async (options) =>
    (await batches()).list(options),
  );
  remote(parent, 'show <id>', 'show one batch').action(async (id, options) =>
    (await batches()).show(id, options),
  );
  remote(parent, 'results <id>', 'print the results of a finished batch')
    .option('--wait', 'wait until the batch finishes')
    .option('--out <file>', 'write the results to a file instead of standard output')
    .action(async (id, options) => (await batches()).results(id, options));
  remote(parent, 'cancel <id>', 'cancel a batch').action(async (id, options) =>
    (await batches()).cancel(id, options),
  );
  resultCommand(parent, 'erase <id>', 'erase a batch of any key now, as the operator, without HTTP').action(
    async (id, options) => (await import('./erase-batch.js')).eraseBatch(id, options),
  );
}

function addTasks(program: Command): void {
  const parent = program
    .command('tasks')
    .description('make, label and fit tasks of a running server, over HTTP');
  remote(parent, 'list', 'list the tasks of the workspace').action(async (options) =>
    (await tasks()).list(options),
  );
  remote(parent, 'show <name>', 'show one task, its questions and the fit in force').action(
    async (name, options) => (await tasks()).show(name, options),
  );
  remote(parent, 'put', 'make a task, or change it')
    .argument('<name>', 'the task')
    .argument(
      '<file>',
      'JSON file: questions, and optionally model, description, target_error, confidence and shadow',
    )
    .action(async (name, file, options) => (await tasks()).put(name, file, options));
  remote(parent, 'delete <name>', 'delete a task with its answers and labels').action(async (name, options) =>
    (await tasks()).remove(name, options),
  );
  remote(parent, 'labels', 'say which answers to a task were correct')
    .argument('<name>', 'the task')
    .argument('[file]', 'JSON Lines file of labels (default: standard input)')
    .option('--from <line>', 'leave out the lines before this one', '1')
    .action(async (name, file, options) => (await import('./task-labels.js')).labels(name, file, options));
  remote(parent, 'promote <name>', 'make the shadow build of a task its model')
    .option('--if-version <number>', 'only if this version is in use')
    .option('--if-build <id>', 'only if this is the shadow build')
    .action(async (name, options) => (await tasks()).promote(name, options));
  remote(parent, 'fit <name>', 'fit a task to its labels and put its thresholds in force').action(
    async (name, options) => (await tasks()).fit(name, options),
  );
}
