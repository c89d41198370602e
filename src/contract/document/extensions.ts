import type { Findings } from './finding';
import { isObject, joinPointer } from './json-pointer';
import type { Walked } from './walk';

/** The fields that this server adds to OpenAPI: what their values must be. */
const EXTENSIONS: readonly {
  readonly kind: Walked['kind'];
  readonly name: string;
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}[] = [
  {
    kind: 'MediaType',
    name: 'x-item-schema',
    expected: 'the schema of each item of a stream',
    holds: (value) => typeof value === 'boolean' || isObject(value),
  },
  {
    kind: 'MediaType',
    name: 'x-stream',
    expected: 'true, for a body that its handler reads piece by piece, or false',
    holds: (value) => typeof value === 'boolean',
  },
  {
    kind: 'Operation',
    name: 'x-body-limit',
    expected: 'the maximum size of the whole body in bytes, an integer from 1 to 9007199254740991',
    holds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  },
];

/** Adds a finding for each of these fields that has another value. */
export function checkExtensions(document: Findings, { kind, pointer, value }: Walked): void {
  for (const { name, expected, holds } of EXTENSIONS.filter((one) => one.kind === kind))
    if (Object.hasOwn(value, name) && !holds(value[name]))
      document.addFinding(joinPointer(pointer, name), `expected ${expected}`);
}
