import { type DoctorOptions, examine } from './examine.js';
import { type Options, print, printJson } from './output.js';
import { reportError } from './report-error.js';

const NAME_WIDTH = 12;

/** `decider doctor`: prints a line per check; exits with status 1 if one found a problem. */
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
