#!/usr/bin/env node
import { Command, Option } from 'commander';
import { openApi } from '../api/index.js';
import { VERSION } from '../base/index.js';
import { reportError, serve } from '../server/index.js';
import * as batches from './batches.js';
import { doctor } from './doctor.js';
import * as keys from './keys.js';
import { checkModels, listModels } from './models.js';
import { printJson } from './output.js';
import { usage } from './usage.js';
import * as workspaces from './workspaces.js';

const program = new Command('decider')
  .description('Answers typed questions about one situation with probabilities, from a language model.')
  .showHelpAfterError();

program
  .command('serve')
  .description('run the server in the foreground')
  .option('--config <file>', 'configuration file (JSON); DECIDER_CONFIG does the same')
  .action(({ config }: { config?: string }) => serve(config));

program
  .command('openapi')
  .description('print the interface as an OpenAPI 3.1 document')
  .action(() => reportError(() => printJson(openApi(VERSION))));

/** A command that prints something, as text or as JSON. */
const command = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--config <file>', 'configuration file (JSON)')
    .option('--json', 'print JSON');

const ofModels = program.command('models').description('the models of the manifest');
command(ofModels, 'list', 'list the models and their builds').action(listModels);
command(ofModels, 'check', 'load each model, prove its profile and ask it a first question')
  .argument('[ids...]', 'builds or model ids; all where none is named')
  .action(checkModels);

const ofWorkspaces = program.command('workspaces').description('who pays, and for what');
command(ofWorkspaces, 'create <id>', 'make a workspace without credit').action(workspaces.create);
command(ofWorkspaces, 'list', 'list the workspaces and their balances').action(workspaces.list);
command(ofWorkspaces, 'show <id>', 'show one workspace').action(workspaces.show);
command(ofWorkspaces, 'credit', 'add credit')
  .argument('<id>', 'the workspace')
  .argument('<amount>', 'such as 12.50; a negative amount takes back')
  .action(workspaces.credit);
command(ofWorkspaces, 'budget', 'set the most that may be charged in a UTC month')
  .argument('<id>', 'the workspace')
  .argument('<amount>', 'such as 12.50, or none')
  .action(workspaces.budget);
command(ofWorkspaces, 'models', 'set the models that may be used')
  .argument('<id>', 'the workspace')
  .argument('<models...>', 'ids, separated by spaces or commas, or all')
  .option('--force', 'also ids that the manifest does not have')
  .action(workspaces.models);
command(ofWorkspaces, 'limits', 'set the limits of each of its keys')
  .argument('<id>', 'the workspace')
  .option('--requests-per-minute <number>', 'most requests in any minute')
  .option('--bytes-per-minute <number>', 'most bytes of requests in any minute')
  .action(workspaces.limits);

const ofKeys = program.command('keys').description('the API keys');
command(ofKeys, 'create', 'make a key and show its token, once')
  .requiredOption('--workspace <id>', 'the workspace that pays')
  .option('--expires <when>', 'never, a number of days, or the last day as 2027-01-31 (default: 365)')
  .action(keys.create);
command(ofKeys, 'list', 'list the keys')
  .option('--workspace <id>', 'only those of one workspace')
  .action(keys.list);
command(ofKeys, 'roll <id>', 'make a new key; the old one works until the end of the next UTC day').action(
  keys.roll,
);
command(ofKeys, 'revoke <id>', 'end a key at once, for ever').action(keys.revoke);

const ofBatches = program.command('batches').description('batches of a running server, over HTTP');
const remote = (name: string, description: string) =>
  ofBatches
    .command(name)
    .description(description)
    .option('--url <url>', 'the base endpoint', 'http://127.0.0.1:8080')
    .option('--token <token>', 'the key’s token (default: DECIDER_TOKEN of the environment)')
    .option('--json', 'print JSON');
remote('submit <file>', 'check a JSON Lines file and submit it')
  .option('--wait', 'wait until it has finished, then print the results')
  .option('--out <file>', 'where results go instead of standard output')
  .option('--webhook <url>', 'an https address to call when it has finished')
  .option('--idempotency-key <key>', 'submitted again with the same key, the file makes no second batch')
  .action(batches.submit);
remote('list', 'list the batches of the key').action(batches.list);
remote('show <id>', 'show one batch').action(batches.show);
remote('results <id>', 'print the results of a finished batch')
  .option('--wait', 'wait until it has finished')
  .option('--out <file>', 'where results go instead of standard output')
  .action(batches.results);
remote('cancel <id>', 'cancel a batch').action(batches.cancel);

command(program, 'usage', 'what was used and charged, by UTC day, key, model and kind')
  .option('--workspace <id>', 'only of one workspace')
  .option('--key <id>', 'only of one key')
  .option('--model <id>', 'only of one model, named as the table names it')
  .option('--from <day>', 'first day, as 2026-11-21')
  .option('--to <day>', 'last day')
  .addOption(new Option('--csv', 'print CSV (RFC 4180)').conflicts('json'))
  .action(usage);

command(program, 'doctor', 'look at settings, data, ledger, models and backend, and change nothing')
  .option('--checksums', 'also read every model file and compare its SHA-256')
  .action(doctor);

await program.parseAsync();
