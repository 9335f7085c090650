import type { Command } from 'commander';
import { OperatorError } from '../base/index.js';

/** Options for which an empty value has a meaning: none. */
const EMPTY_OPTIONS: ReadonlySet<string> = new Set(['name', 'token']);

/**
 * Throws OperatorError, which names it, if an argument or an option of a command is an empty text, as of a variable of the
 * shell that is not set. `rename` takes one as the name.
 */
export function refuseEmptyArguments(command: Command): void {
  const isEmpty = (value: unknown) => [value].flat().includes('');
  for (const [index, argument] of command.registeredArguments.entries()) {
    const isName = command.name() === 'rename' && argument.name() === 'name';
    if (isEmpty(command.processedArgs[index]) && !isName)
      throw new OperatorError(`${argument.name()}: it is empty. Give a value.`);
  }
  for (const option of command.options) {
    const name = option.name();
    if (isEmpty(command.getOptionValue(option.attributeName())) && !EMPTY_OPTIONS.has(name))
      throw new OperatorError(`${name}: it is empty. Give a value, or leave --${name} out.`);
  }
}
