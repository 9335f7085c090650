#!/usr/bin/env node
import { Command } from 'commander';
import { serve } from '../server/index.js';
import { checkModels, listModels } from './models.js';

const program = new Command('decider')
  .description('Answers typed questions about one situation with probabilities, from a language model.')
  .showHelpAfterError();

program
  .command('serve')
  .description('run the server in the foreground')
  .option('--config <file>', 'configuration file (JSON); DECIDER_CONFIG does the same')
  .action(({ config }: { config?: string }) => serve(config));

const models = program.command('models').description('the models of the manifest');
models
  .command('list')
  .description('list the models and their builds')
  .option('--config <file>', 'configuration file (JSON)')
  .option('--json', 'print JSON')
  .action(listModels);
models
  .command('check')
  .description('load each model, prove its profile and ask it a first question')
  .argument('[ids...]', 'builds or model ids; all where none is named')
  .option('--config <file>', 'configuration file (JSON)')
  .option('--json', 'print JSON')
  .action(checkModels);

await program.parseAsync();
