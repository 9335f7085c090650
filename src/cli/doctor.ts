import { type DoctorOptions, examine, reportError } from '../server/index.js';
import { type Options, print, printJson } from './output.js';

const NAME_WIDTH = 12;

/** `decider doctor`: a line per check; ends with 1 where one of them found a problem. */
export const doctor = (options: Options & DoctorOptions) =>
  reportError(async () => {
    const findings = [];
    for await (const finding of examine(options)) {
      findings.push(finding);
      if (!finding.ok) process.exitCode = 1;
      if (options.json) continue;
      const { check, ok, detail } = finding;
      print(`${ok ? 'ok     ' : 'problem'}  ${check.padEnd(NAME_WIDTH)}  ${detail}`);
    }
    if (options.json) printJson(findings);
  });
