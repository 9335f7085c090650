// Imported before the tests by `--costs`: a process writes, as it ends, the processor seconds that it took with the
// processes that it started and waited for.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.TEST_COSTS;
/** Of /proc/self/stat; fixed on Linux. */
const TICKS_PER_SECOND = 100;

if (file !== undefined) {
  // Not the processes that it starts.
  delete process.env.TEST_COSTS;
  process.once('exit', () => writeFileSync(file, String(processorSeconds())));
}

function processorSeconds(): number {
  // The second field, the name in parentheses, may contain spaces. Fields 14 to 17 are times.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}
