import { isExcluded, type Schemas } from '../document/direction';
import { abbreviate, NumberLiteral, toInteger, type Value } from '../json/value';
import { asString, escapeToken, objectAt, resolvePointer } from '../json/tree';
import {
  anyValueOf,
  applicableSubschemas,
  propertyLocations,
  itemLocations,
  type SchemaLocations,
  type Subschema,
} from '../schema/locations';
import type { RunContext } from '../cases/case';
import type { Reader } from './reader';
import { isUnusual } from './values';

/** How a value that was read differs from the one that was sent. */
export interface Compared {
  /** Sentences, `expected E, got G`. */
  readonly differences: string[];
  /** The number of primitives that came back as they were sent. */
  same: number;
  /** Those of them that only this prover sends, so that no mock shows them. */
  unusual: number;
}

type CompareContext = Pick<RunContext, 'document' | 'oracle' | 'responseOracle'>;

/**
 * Compares what both schemas share: the members of the value that was sent, where the schema of the answer has them and
 * admits them; of an object, what its members are, as the answer may have more of it. A server may add members, choose names and the time of a change, and normalize texts and sets.
 *
 * @param path the path at which it was read, encoded: what stands in it is a name, which the server may have chosen
 */
export function compareStored(
  { document, oracle, responseOracle }: CompareContext,
  { slot, schema }: Pick<Reader, 'slot' | 'schema'>,
  sent: Value,
  read: Value,
  path: string,
): Compared {
  const names = new Set(path.split('/').map(decodeURIComponentOrNot));
  const compare = (
    found: Compared,
    [pointer, here, got]: readonly [string, Value, Value | undefined],
    asked: SchemaLocations,
    answered: SchemaLocations,
  ): void => {
    const request = applicableSubschemas(document.requests, oracle, asked, here);
    const response = applicableSubschemas(document.responses, responseOracle, answered, here);
    if (isEmpty(here) || isOfServer([...request, ...response], pointer, got)) return;
    if (here instanceof Map && (got instanceof Map || got === undefined)) {
      for (const [name, member] of here) {
        const below = propertyLocations(response, name);
        const own = propertyLocations(request, name);
        if (own.length === 0 || !admits(below, member)) continue;
        compare(found, [`${pointer}/${escapeToken(name)}`, member, got?.get(name)], own, below);
      }
      return;
    }
    if (Array.isArray(here) && Array.isArray(got)) {
      // A set has no order.
      const left = [...got];
      for (const [index, item] of here.entries()) {
        const at = left.findIndex((candidate) => {
          const alone: Compared = { differences: [], same: 0, unusual: 0 };
          const below = itemLocations(response, index);
          compare(alone, [pointer, item, candidate], itemLocations(request, index), below);
          return alone.differences.length === 0;
        });
        if (at >= 0) left.splice(at, 1);
        else found.differences.push(sentence(`${pointer}/*`, item, got));
        if (at >= 0) found.same += 1;
      }
      return;
    }
    if (got !== undefined && isName(got, names)) return;
    const format = formatOf(request);
    if (isSame(here, got, format)) {
      found.same += 1;
      if (isUnusual(here)) found.unusual += 1;
    } else found.differences.push(sentence(pointer, here, got));
  };
  const admits = (locations: SchemaLocations, value: Value): boolean =>
    locations.length > 0 &&
    locations.every(
      ({ pointer }) =>
        (value instanceof Map || responseOracle.valid(pointer, value)) &&
        !isHidden(document.responses, pointer) &&
        !isRetired(pointer),
    );
  const isRetired = (pointer: string): boolean => {
    const { deprecated, format } = objectAt(document.json, resolvePointer(document.json, pointer));
    return deprecated === true || format === 'password';
  };
  const result: Compared = { differences: [], same: 0, unusual: 0 };
  compare(result, ['', sent, read], anyValueOf(slot.schema), anyValueOf(schema));
  return result;
}

const isHidden = (schemas: Schemas, pointer: string): boolean =>
  isExcluded(schemas, objectAt(schemas.json, pointer));

const sentence = (pointer: string, sent: Value, got: Value | undefined): string =>
  `expected to read back ${pointer || 'the body'} = ${abbreviate(sent)}, got ${got === undefined ? 'none' : abbreviate(got)}`;

/** Absent, null and empty mean the same to many servers. */
const isEmpty = (value: Value): boolean =>
  value === null ||
  value === '' ||
  (Array.isArray(value) ? value.length : value instanceof Map && value.size) === 0;

/** Counters that a server raises with each change. */
const COUNTER = /\/(?:version|revision|rev|etag)$/i;

/** The distance from the present in which a time is that of the request, in milliseconds. */
const PRESENT_MS = 600_000;

/** Whether the server chooses the value: a counter of changes, or the time of the change. */
function isOfServer(subschemas: readonly Subschema[], pointer: string, got: Value | undefined): boolean {
  if (COUNTER.test(pointer)) return true;
  const isTime = subschemas.some(({ schema }) => /date|time/.test(asString(schema['format'])));
  const times =
    got instanceof NumberLiteral
      ? [Number(got.text), Number(got.text) * 1000]
      : [typeof got === 'string' && isTime ? Date.parse(got) : NaN];
  const isDay = typeof got === 'string' && got === new Date().toISOString().slice(0, 10);
  return isDay || times.some((time) => Math.abs(time - Date.now()) < PRESENT_MS);
}

const formatOf = (subschemas: readonly Subschema[]): string =>
  subschemas.map(({ schema }) => asString(schema['format'])).find((format) => format !== '') ?? '';

const decodeURIComponentOrNot = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const isName = (value: Value, names: ReadonlySet<string>): boolean =>
  (typeof value === 'string' && names.has(value)) ||
  (value instanceof NumberLiteral && names.has(value.text));

function isSame(sent: Value, got: Value | undefined, format: string): boolean {
  if (sent instanceof NumberLiteral) {
    if (!(got instanceof NumberLiteral)) return false;
    const [wanted, found] = [toInteger(sent.text), toInteger(got.text)];
    // Other integers are doubles in many programs (RFC 8259 section 6).
    if (format === 'int64' && (wanted !== undefined || found !== undefined)) return wanted === found;
    const round = format === 'float' ? Math.fround : Number;
    return round(Number(sent.text)) === round(Number(got.text));
  }
  if (typeof sent !== 'string' || typeof got !== 'string') return sent === got;
  if (sent === got || normalized(sent) === normalized(got)) return true;
  if (format === 'date-time') return Date.parse(sent) === Date.parse(got);
  return /^ur[il]/.test(format) && normalized(sent) === normalized(got.replace(/\/$/, ''));
}

/** A text as servers store names and addresses: composed, without outer white space, in one case. */
const normalized = (text: string): string => text.normalize().trim().toLowerCase();
