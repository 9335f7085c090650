#!/usr/bin/env node
import { Argument, Command, Option } from 'commander';
import { VERSION } from '../base/index.js';
import { completionScript, SHELLS } from './completion.js';
import { reportError } from './output.js';

// Commands are imported when they run, so that a cheap one does not load the engine and the image library.
const batches = () => import('./batches.js');
const keys = () => import('./keys.js');
const models = () => import('./models.js');
const workspaces = () => import('./workspaces.js');

const program = new Command('decider')
  .description('Answers typed questions about one situation with probabilities, from a language model.')
  .version(VERSION, '--version', 'print the version')
  .showHelpAfterError('Add --help for usage.');

program
  .command('serve')
  .description('run the server in the foreground')
  .option('--config <file>', 'configuration file (JSON); DECIDER_CONFIG does the same')
  .action(async ({ config }: { config?: string }) => (await import('./serve.js')).serve(config));

program
  .command('openapi')
  .description('print the interface as an OpenAPI 3.1 document')
  .action(async () => (await import('./openapi.js')).openapi());

program
  .command('completion')
  .description('print a script that completes commands in a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  .action((shell: (typeof SHELLS)[number]) =>
    reportError(() => {
      process.stdout.write(completionScript(program, shell));
    }),
  );

/** A command that prints a result, as text or as JSON. */
const command = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--config <file>', 'configuration file (JSON)')
    .option('--json', 'print JSON');

const ofModels = program.command('models').description('list and check the models of the manifest');
command(ofModels, 'list', 'list the models and their builds').action(async (options) =>
  (await models()).listModels(options),
);
command(ofModels, 'check', 'load each model, verify its profile and ask it a question')
  .argument('[ids...]', 'builds or model ids (default: all)')
  .action(async (ids, options) => (await models()).checkModels(ids, options));

const ofWorkspaces = program
  .command('workspaces')
  .description('manage workspaces: credit, budgets, models, limits');
command(ofWorkspaces, 'create <id>', 'create a workspace, without credit').action(async (id, options) =>
  (await workspaces()).create(id, options),
);
command(ofWorkspaces, 'list', 'list the workspaces and their balances').action(async (options) =>
  (await workspaces()).list(options),
);
command(ofWorkspaces, 'show <id>', 'show one workspace').action(async (id, options) =>
  (await workspaces()).show(id, options),
);
command(ofWorkspaces, 'credit', 'add credit to a workspace')
  .argument('<id>', 'the workspace')
  .argument('<amount>', 'such as 12.50; a negative amount removes credit')
  .action(async (id, amount, options) => (await workspaces()).credit(id, amount, options));
command(ofWorkspaces, 'budget', 'set the maximum charge per UTC month')
  .argument('<id>', 'the workspace')
  .argument('<amount>', 'such as 12.50, or none')
  .action(async (id, amount, options) => (await workspaces()).budget(id, amount, options));
command(ofWorkspaces, 'models', 'set the models that a workspace may use')
  .argument('<id>', 'the workspace')
  .argument('<models...>', 'model ids, separated by spaces or commas, or all')
  .option('--force', 'accept ids that the manifest does not have')
  .action(async (id, names, options) => (await workspaces()).models(id, names, options));
command(ofWorkspaces, 'limits', 'set the limits of each key of a workspace')
  .argument('<id>', 'the workspace')
  .option('--requests-per-minute <number>', 'maximum requests in any minute')
  .option('--bytes-per-minute <number>', 'maximum bytes of requests in any minute')
  .action(async (id, options) => (await workspaces()).limits(id, options));

const ofKeys = program.command('keys').description('manage API keys');
command(ofKeys, 'create', 'create a key and print its token, once')
  .requiredOption('--workspace <id>', 'the workspace that pays')
  .option('--expires <when>', 'never, a number of days, or the last day as 2027-01-31 (default: 365)')
  .action(async (options) => (await keys()).create(options));
command(ofKeys, 'list', 'list the keys')
  .option('--workspace <id>', 'only keys of this workspace')
  .action(async (options) => (await keys()).list(options));
command(ofKeys, 'roll <id>', 'replace a key; the old one works until the end of the next UTC day').action(
  async (id, options) => (await keys()).roll(id, options),
);
command(ofKeys, 'revoke <id>', 'revoke a key immediately and permanently').action(async (id, options) =>
  (await keys()).revoke(id, options),
);

const ofBatches = program
  .command('batches')
  .description('submit and manage batches of a running server, over HTTP');
const remote = (name: string, description: string) =>
  ofBatches
    .command(name)
    .description(description)
    .option('--url <url>', 'base endpoint of the server', 'http://127.0.0.1:8080')
    .option('--token <token>', 'API token (default: DECIDER_TOKEN)')
    .option('--json', 'print JSON');
remote('submit <file>', 'check a JSON Lines file and submit it')
  .option('--wait', 'wait until the batch finishes, then print the results')
  .option('--out <file>', 'write the results to a file instead of standard output')
  .option('--webhook <url>', 'HTTPS URL to call when the batch finishes')
  .option('--idempotency-key <key>', 'a repeated submission with the same key creates no second batch')
  .action(async (file, options) => (await batches()).submit(file, options));
remote('list', 'list the batches of the API key').action(async (options) => (await batches()).list(options));
remote('show <id>', 'show one batch').action(async (id, options) => (await batches()).show(id, options));
remote('results <id>', 'print the results of a finished batch')
  .option('--wait', 'wait until the batch finishes')
  .option('--out <file>', 'write the results to a file instead of standard output')
  .action(async (id, options) => (await batches()).results(id, options));
remote('cancel <id>', 'cancel a batch').action(async (id, options) => (await batches()).cancel(id, options));

command(program, 'usage', 'report usage and charges by UTC day, key, model and kind')
  .option('--workspace <id>', 'only this workspace')
  .option('--key <id>', 'only this key')
  .option('--model <id>', 'only this model, named as in the table')
  .option('--from <day>', 'first day, such as 2026-11-21')
  .option('--to <day>', 'last day')
  .addOption(new Option('--csv', 'print CSV (RFC 4180)').conflicts('json'))
  .action(async (options) => (await import('./usage.js')).usage(options));

command(program, 'doctor', 'check settings, data, ledger, models and backend without changing anything')
  .option('--checksums', 'also verify the SHA-256 of every model file')
  .action(async (options) => (await import('./doctor.js')).doctor(options));

await program.parseAsync();
