/**
 * Checks tests and scripts each time its parent sends the number of a check, and sends back the errors. Runs in a process of
 * its own, because the parent distributes the connections of the server.
 */
import { Compiler } from '../compiler/compiler';

/** The result of a check. */
export interface RestChecked {
  readonly check: number;
  /** The errors, with file and line; undefined if there are none. */
  readonly errors?: string | undefined;
}

// The parent reports the errors of src/.
const compiler = new Compiler('tsconfig.json', (file) => !file.startsWith('src/'));

process.on('message', (check: number) => {
  const result: RestChecked = { check, errors: compiler.compile() };
  process.send?.(result, undefined, undefined, () => undefined); // no error if the parent has ended meanwhile
});
