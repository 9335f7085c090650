import { execFileSync } from 'node:child_process';
import { test } from 'tap';

const MODULE = new URL('../../src/console/ui/format-values.js', import.meta.url).href;
const MINUTE_MS = 60_000;
const QUARTERS_OF_A_DAY = 96;

/** Days on which clocks are set, and on which days, months and years begin. */
const DAYS = ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', '2027-12-31', '2028-02-29'] as const;
const ZONES = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Europe/London',
  'Pacific/Apia',
  'Pacific/Kiritimati',
] as const;

/** What a browser in a time zone shows of instants. */
function shownIn(zone: string, instants: readonly string[]): ReadonlyArray<readonly [string, string]> {
  const program = `
    const { time, preciseTime } = await import(${JSON.stringify(MODULE)});
    const shown = JSON.parse(process.argv[1]).map((each) => [time(each), preciseTime(each)]);
    console.log(JSON.stringify(shown));`;
  const options = { env: { ...process.env, TZ: zone, LC_ALL: 'en_US' }, encoding: 'utf8' } as const;
  const output = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', program, JSON.stringify(instants)],
    options,
  );
  return JSON.parse(output);
}

test('what is shown of an instant tells which one it is, in every time zone', async (t) => {
  const instants = DAYS.flatMap((day) =>
    Array.from({ length: QUARTERS_OF_A_DAY }, (_, at) =>
      new Date(Date.parse(day) + at * 15 * MINUTE_MS + 7_000).toISOString(),
    ),
  );
  const read = (text: string) => Date.parse(text.replaceAll('\u202f', ' '));
  for (const zone of ZONES) {
    const shown = shownIn(zone, instants);
    const exact = instants.map((each) => Date.parse(each));
    t.strictSame(
      shown.map(([minute]) => read(minute)),
      exact.map((each) => Math.floor(each / MINUTE_MS) * MINUTE_MS),
      zone,
    );
    t.strictSame(
      shown.map(([, second]) => read(second)),
      exact,
      `${zone}, with seconds`,
    );
  }
});
