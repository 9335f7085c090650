import { Argument, Command, Option } from 'commander';
import { SYSTEM_ONE_PATH, VERSION, visibleLines } from '../base/index.js';
import { completionScript, SHELLS } from './completion.js';
import { refuseEmptyArguments } from './empty-arguments.js';
import { reportError } from './output.js';
import { addRemoteCommands } from './remote-commands.js';
import { resultCommand as command } from './result-command.js';

// Commands are imported when they run, so that a cheap one does not load the engine and the image library.
const keys = () => import('./keys.js');
const models = () => import('./models.js');
const workspaces = () => import('./workspaces.js');

/** The `decider` command line. */
export const program = new Command('decider')
  .description('Answers typed questions about one situation with probabilities, from a language model.')
  .version(VERSION, '--version', 'print the version')
  .configureOutput({ outputError: (text, write) => write(visibleLines(text)) })
  .showHelpAfterError('Add --help for usage.')
  .hook('preAction', (_, command) => reportError(() => refuseEmptyArguments(command)));

program
  .command('serve')
  .description('run the server in the foreground')
  .option('--config <file>', 'configuration file (JSON); DECIDER_CONFIG does the same')
  .action(async ({ config }: { config?: string }) => (await import('./serve.js')).serve(config));

program
  .command('systemd')
  .description('print a systemd unit for the server')
  .option('--config <file>', 'configuration file (JSON)')
  .option('--user <name>', 'system user that runs the server', 'decider')
  .action(async (options) => (await import('./systemd.js')).systemd(options));

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

const ofModels = program
  .command('models')
  .description('install, list, check and remove the models of the manifest');
command(ofModels, 'list', 'list the models and their builds').action(async (options) =>
  (await models()).listModels(options),
);
command(
  ofModels,
  'check',
  'load each model, verify its profile (openjev, nimble, pplx-decider, letters, mapika or winnow) and ask it a question',
)
  .argument('[ids...]', 'builds or model ids (default: all)')
  .action(async (ids, options) => (await models()).checkModels(ids, options));
/** Adds a build to the manifest; its options replace what the files say. */
const installing = (name: string, description: string) =>
  command(ofModels, name, description)
    .option('--id <id>', 'id of the model (default: from the name of the file)')
    .option('--date <yyyymmdd>', 'date of the build')
    .option('--description <text>', 'description in the list of models')
    .option('--profile <name>', 'profile of a GGUF without decision metadata')
    .option('--context-length <tokens>', 'maximum tokens of a prompt (default: as trained)')
    .option('--price-class <name>', 'price class of billing.prices')
    .option('--default', 'use the model for requests that name none');
installing('pull', 'download a model from the hub, check it and add it to the manifest')
  .argument('<reference>', 'hf:OWNER/REPO[/FILE][@REVISION][:QUANT]')
  .option('--projector <file>', 'projector of the repository, or none (default: if there is only one)')
  .action(async (reference, options) => (await import('./pull-model.js')).pullModel(reference, options));
installing('add', 'check GGUF files, put them into the models folder and add them to the manifest')
  .argument('<files...>', 'the GGUF of one model, and its projector')
  .option('--projector <file>', 'the projector, if its name does not say so, or none')
  .option('--in-place', 'leave the files where they are')
  .action(async (files, options) => (await import('./add-model.js')).addModel(files, options));
command(ofModels, 'remove <id>', 'remove a model or a build, and its files in the models folder')
  .option('--force', 'also the default, or while a server runs')
  .action(async (id, options) => (await import('./remove-model.js')).removeModel(id, options));

const ofWorkspaces = program
  .command('workspaces')
  .description('manage workspaces: credit, budgets, models, limits');
command(ofWorkspaces, 'create <id>', 'create a workspace, without credit')
  .option('--name <name>', 'name for people')
  .action(async (id, options) => (await workspaces()).create(id, options));
command(ofWorkspaces, 'list', 'list the workspaces and their balances').action(async (options) =>
  (await workspaces()).list(options),
);
command(ofWorkspaces, 'show <id>', 'show one workspace').action(async (id, options) =>
  (await workspaces()).show(id, options),
);
command(ofWorkspaces, 'rename', 'set the name of a workspace; its id stays')
  .argument('<id>', 'the workspace')
  .argument('<name>', "the name, or '' for none")
  .action(async (id, name, options) => (await workspaces()).rename(id, name, options));
command(ofWorkspaces, 'close <id>', 'close a workspace: its keys stop working, their batches end').action(
  async (id, options) => (await workspaces()).close(id, options),
);
command(ofWorkspaces, 'reopen <id>', 'open a closed workspace again: its keys work as before').action(
  async (id, options) => (await workspaces()).reopen(id, options),
);
command(ofWorkspaces, 'credit', 'add credit to a workspace')
  .argument('<id>', 'the workspace')
  .argument('<amount>', 'such as 12.50; a negative amount removes credit')
  .option('--reason <text>', 'one line for the audit log')
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
  .option('--requests-per-minute <number>', 'maximum requests in any minute, 1 to 1000000')
  .option('--bytes-per-minute <number>', 'maximum bytes of requests in any minute, 1 to 2^40')
  .action(async (id, options) => (await workspaces()).limits(id, options));

const ofKeys = program.command('keys').description('manage API keys');
command(ofKeys, 'create', 'create a key and print its token, once')
  .requiredOption('--workspace <id>', 'the workspace that pays')
  .option('--expires <when>', 'never, a number of days, or the last day as 2027-01-31 (default: 365)')
  .option('--name <name>', 'name for people')
  .action(async (options) => (await keys()).create(options));
command(ofKeys, 'list', 'list the keys')
  .option('--workspace <id>', 'only keys of this workspace')
  .action(async (options) => (await keys()).list(options));
command(ofKeys, 'rename', 'set the name of a key')
  .argument('<id>', 'the key')
  .argument('<name>', "the name, or '' for none")
  .action(async (id, name, options) => (await keys()).rename(id, name, options));
command(ofKeys, 'roll <id>', 'replace a key; the old one works until the end of the next UTC day').action(
  async (id, options) => (await keys()).roll(id, options),
);
command(ofKeys, 'revoke <id>', 'revoke a key immediately and permanently').action(async (id, options) =>
  (await keys()).revoke(id, options),
);

addRemoteCommands(program);

program
  .command('load <url>')
  .description('measure how much load a server takes: latency at given rates, or the highest rate')
  .option('--token <token>', 'API token (default: DECIDER_TOKEN)')
  .option('--path <path>', 'path of the decisions', SYSTEM_ONE_PATH)
  .option('--model <id>', 'model to name in the requests')
  .option('--rates <list>', 'requests per second, one step each', '1,2,5,10')
  .addOption(
    new Option(
      '--find <target>',
      'search for the highest rate that meets a target such as p95=250ms',
    ).conflicts('rates'),
  )
  .addOption(
    new Option('--minutes <number>', 'with --find: end the search after at most this many minutes').conflicts(
      'rates',
    ),
  )
  .option('--seconds <number>', 'measured seconds of each step', '20')
  .option('--warm-up <seconds>', 'load before each step that is not measured', '3')
  .addOption(
    new Option('--shape <shape>', 'generated requests')
      .choices(['mix', 'short', 'one_state', 'sixteen'])
      .default('mix'),
  )
  .addOption(
    new Option('--cases <file>', 'send the requests of a cases file (JSON Lines) instead').conflicts('shape'),
  )
  .option('--connections <number>', 'maximum connections', '256')
  .option('--timeout <seconds>', 'per request, from its intended start', '30')
  .option('--seed <number>', 'seed of arrivals and generated requests', '1')
  .option('--json <file>', 'write the result as JSON')
  .option('--html <file>', 'write the result as an HTML page')
  .action(async (url, options) => (await import('./load.js')).load(url, options));

/** Options of `eval` that have no meaning without asking. */
const OF_ASKING = [
  'url',
  'path',
  'token',
  'model',
  'concurrency',
  'archive',
  'resume',
  'exact',
  'orderBias',
  'formatBias',
  'modeDifference',
  'rotations',
];

program
  .command('eval')
  .description('measure the decisions of a model on cases with known answers')
  .argument('<cases>', 'JSON Lines file of cases')
  .option('--config <file>', 'configuration file (JSON)')
  .option('--format <name>', 'read the file of a public benchmark: boolq, arc, mmlu or hellaswag')
  .option('--model <id>', 'ask this model or build, whatever the cases name')
  .option('--url <url>', 'ask a server instead of the engine in process')
  .option('--path <path>', `path of the decisions, with --url (default: "${SYSTEM_ONE_PATH}")`)
  .option('--token <token>', 'API token for --url (default: DECIDER_TOKEN)')
  .option('--concurrency <number>', 'requests in progress at a time (default: 4 with --url, 64 in process)')
  .addOption(
    new Option('--results <file>', 'ask nothing: read a batch results file, or an archive').conflicts(
      OF_ASKING,
    ),
  )
  .addOption(
    new Option('--compare <files...>', 'compare two archives or batch results files').conflicts([
      'results',
      ...OF_ASKING,
    ]),
  )
  .option('--archive <file>', 'file of every response (default: <cases>.archive.jsonl)')
  .option('--resume', 'continue an archive: no answered case is asked again')
  .option('--exact', 'exact mode of the engine in process (default: as configured)')
  .option('--order-bias', 'also ask with rotated options, up to 7 further requests per case')
  .option('--format-bias', 'also ask with the state as text, flat JSON and nested JSON')
  .option('--mode-difference', 'also ask in the other mode, exact or normal')
  .option(
    '--rotations <list>',
    'also ask each choice in several orders of its options and average, for these numbers of orders, such as 2,4',
  )
  .addOption(
    new Option('--fit', 'fit temperatures to the answers and write them to the manifest').conflicts([
      'url',
      'compare',
    ]),
  )
  .option('--seed <number>', 'seed of the bootstrap', '1')
  .option('--resamples <number>', 'bootstrap resamples', '1000')
  .addOption(
    new Option(
      '--errors <file>',
      'write the wrong answers as JSON Lines, the most confident first',
    ).conflicts('compare'),
  )
  .option('--json <file>', 'write the report as JSON')
  .option('--html <file>', 'write the report as one HTML file with charts')
  .action(async (file, options) => (await import('./eval.js')).evaluateCases(file, options));

command(program, 'usage', 'report usage and charges by UTC day, key, model and kind')
  .option('--workspace <id>', 'only this workspace')
  .option('--key <id>', 'only this key')
  .option('--model <id>', 'only this model, named as in the table')
  .option('--from <day>', 'first day, such as 2026-11-21')
  .option('--to <day>', 'last day')
  .addOption(new Option('--csv', 'print CSV (RFC 4180)').conflicts('json'))
  .addOption(
    new Option('--invoice <workspace>', 'the charges of a workspace in one month, as CSV').conflicts([
      'workspace',
      'key',
      'model',
      'from',
      'to',
    ]),
  )
  .option(
    '--month <month>',
    'with --invoice: the UTC month, such as 2026-11 (default: the last one that is over)',
  )
  .addOption(
    new Option('--html <file>', 'with --invoice: write a page to print instead of CSV').conflicts('csv'),
  )
  .action(async (options) => {
    if (options.invoice === undefined) await (await import('./usage.js')).usage(options);
    else await (await import('./invoice.js')).invoice(options);
  });

command(program, 'audit', 'list the last administrative changes, newest first')
  .option('--after <number>', 'only the entries with a higher number, all of them')
  .option('--limit <number>', 'maximum entries (default: 20; with --after all)')
  .option('--workspace <id>', 'only the entries of this workspace')
  .option('--key <id>', 'only the entries of this key')
  .option('--action <action>', 'only the entries with this action')
  .action(async (options) => (await import('./audit.js')).audit(options));
command(program, 'reload', 'make the running server read its settings and models again').action(
  async (options) => (await import('./reload.js')).reload(options),
);
const data = () => import('./data.js');
command(
  program,
  'backup <file>',
  'write a copy of the data folder to a file, also while a server runs',
).action(async (file, options) => (await data()).backup(file, options));
command(program, 'restore <file>', 'put a backup into an empty data folder').action(async (file, options) =>
  (await data()).restore(file, options),
);
command(
  program,
  'verify',
  'read everything in the data folder: tables, lists, encrypted values, batches, tasks, ledger',
).action(async (options) => (await import('./verify.js')).verify(options));
command(program, 'rekey', 'replace the master key, also while the server runs')
  .option('--new-key <file>', 'file with the new key, if the master key is configured')
  .action(async (options) => (await import('./rekey.js')).rekey(options));

const ofStore = program.command('store').description('manage the database of store.url');
command(ofStore, 'migrate', 'create or update the tables of the database').action(async (options) =>
  (await import('./migrate.js')).migrate(options),
);
command(
  ofStore,
  'move',
  'copy everything from the data folder to an empty database, or back, and compare both',
)
  .addOption(
    new Option('--to <place>', 'the database of store.url, or the data folder')
      .choices(['database', 'folder'])
      .makeOptionMandatory(),
  )
  .action(async (options) => (await import('./store-move.js')).move(options));
command(program, 'nodes', 'list the servers that share the database').action(async (options) =>
  (await import('./nodes.js')).nodes(options),
);

command(program, 'tune', 'measure this device with a model, and recommend settings of its engine')
  .option('--model <id>', 'model or build (default: the one that answers requests without a model)')
  .option('--minutes <number>', 'about how many minutes all measurements take', '5')
  .addOption(
    new Option('--goal <goal>', 'what the settings are chosen for')
      .choices(['latency', 'throughput'])
      .default('latency'),
  )
  .option('--write', 'write the recommendation to the manifest, as `engine` of the model')
  .option('--html <file>', 'write the result as an HTML page')
  .action(async (options) => (await import('./tune.js')).tune(options));

command(program, 'doctor', 'check settings, data, ledger, models, backend and host without changing anything')
  .option('--checksums', 'also verify the SHA-256 of every model file')
  .action(async (options) => (await import('./doctor.js')).doctor(options));

program
  .command('verify-bundle')
  .description('compare the files of a bundle with its manifest')
  .argument('[folder]', 'the folder of the bundle (default: the one that runs)')
  .option('--json', 'print JSON')
  .action(async (folder, options) => (await import('./verify-bundle.js')).verifyBundle(folder, options));
