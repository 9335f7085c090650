import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';
import { ROOT } from './sources.js';

/** As in a stack. */
const PLACE = /(dist\/[\w./-]+\.js):(\d+):(\d+)/g;
/** As in a diagnostic of TAP, in three lines. */
const DIAGNOSTIC = /(fileName: )(dist\/[\w./-]+\.js)(\n +lineNumber: )(\d+)(\n +columnNumber: )(\d+)/g;
/** A diagnostic of which the next lines have yet to come. */
const UNFINISHED = /(?:^|\n)[^\n]*fileName: dist\/[^\n]*\n(?: +lineNumber: \d+\n)?$/;

const maps = new Map<string, SourceMap | null>();

/**
 * Names the places of sources in a report of a test, where it names those of compiled files. Node would do it with
 * `--enable-source-maps`, and then every thread of every process reads the maps of all its files: a tenth of the time of
 * a start.
 */
export function inSources(report: string): string {
  return report
    .replace(PLACE, (found, file: string, line: string, column: string) => {
      const place = sourceOf(file, Number(line), Number(column));
      return place === null ? found : `${place.file}:${place.line}:${place.column}`;
    })
    .replace(DIAGNOSTIC, (found, name, file, toLine, line, toColumn, column) => {
      const place = sourceOf(file, Number(line), Number(column));
      return place === null ? found : name + place.file + toLine + place.line + toColumn + place.column;
    });
}

/** A stream of reports whose places are those of sources. */
export class SourcePlaces extends Transform {
  private rest = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _transform(chunk: string | Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.rest + String(chunk);
    const lines = text.slice(0, text.lastIndexOf('\n') + 1);
    const whole = lines.slice(0, UNFINISHED.exec(lines)?.index);
    this.rest = text.slice(whole.length);
    done(null, inSources(whole));
  }

  override _flush(done: TransformCallback): void {
    done(null, inSources(this.rest));
  }
}

function sourceOf(file: string, line: number, column: number) {
  const map = maps.get(file) ?? readMap(file);
  maps.set(file, map);
  // Lines and columns are counted from 0 in a map.
  const entry = map?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return null;
  const source = join(dirname(file), entry.originalSource);
  return { file: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(join(ROOT, `${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}
