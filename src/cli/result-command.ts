import type { Command } from 'commander';

/** A command that prints a result, as text or as JSON. */
export const resultCommand = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name)
    .description(description)
    .option('--config <file>', 'configuration file (JSON)')
    .option('--json', 'print JSON');
