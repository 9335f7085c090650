import type { RefusedLine } from '../api/error.js';
import { whole } from './format-values.js';

interface RefusedLinesProps {
  readonly lines: readonly RefusedLine[];
  /** The number of all refused lines, of which the first are listed. */
  readonly all: number;
}

/** The lines of a file that were refused, with their errors. */
export function RefusedLines({ lines, all }: RefusedLinesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label="Invalid lines">
      <table>
        <caption>
          {lines.length < all ? `The first ${lines.length} of ${whole(all)} invalid lines` : 'Invalid lines'}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              Line
            </th>
            <th scope="col">Type</th>
            <th scope="col">What is wrong</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ line, type, error }) => (
            <tr key={line}>
              <td class="number">{whole(line)}</td>
              <td>
                <code>{type}</code>
              </td>
              <td class="text" dir="auto">
                {error}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
