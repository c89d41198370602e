import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  asArray,
  asObject,
  asString,
  type Json,
  type JsonObject,
  parse,
  print,
  toJavaScript,
  type Value,
} from 'contract-first-prover';

/** A value of the suite, and whether it conforms to the schema of its group. */
export interface SuiteTest {
  /** The file, group and test. */
  readonly names: readonly [file: string, group: string, test: string];
  readonly valid: boolean;
  /** The text in the suite, with every digit. */
  readonly text: string;
  /** The value for a handler, in which integers beyond the doubles are bigints. */
  readonly value: unknown;
}

/** A schema of the suite. */
export interface SuiteGroup {
  /** The schema as JSON text. */
  readonly text: string;
  /** Rewrites the schema for a pointer of an OpenAPI document. */
  readonly schemaAt: (pointer: string) => Json;
  /** Whether it has an `$anchor`, so that it needs a document of its own. */
  readonly anchored: boolean;
  readonly tests: readonly SuiteTest[];
}

/** The JSON Schema Test Suite for 2020-12, with its optional tests. */
export function readSuite(): SuiteGroup[] {
  const text = readFileSync(join(__dirname, './draft2020-12.json'), 'utf8');
  const files = Object.entries(JSON.parse(text) as JsonObject);
  const exact = parse(text) as Map<string, Value>;
  return files.flatMap(([file, groups]) =>
    asArray(groups).map((json, i) => {
      const { schema = null, description, tests } = asObject(json);
      const values = member(member(exact.get(file), i), 'tests');
      return {
        text: JSON.stringify(schema),
        schemaAt: (pointer: string) => relocate(schema, pointer),
        anchored: JSON.stringify(schema).includes('"$anchor"'),
        tests: asArray(tests).map((test, j): SuiteTest => {
          const { description: name, valid } = asObject(test);
          const value = member(member(values, j), 'data');
          return {
            names: [file, asString(description), asString(name)],
            valid: valid === true,
            text: print(value),
            value: toJavaScript(value),
          };
        }),
      };
    }),
  );
}

function member(value: Value | undefined, key: string | number): Value {
  const found = Array.isArray(value)
    ? value[Number(key)]
    : value instanceof Map
      ? value.get(String(key))
      : undefined;
  if (found === undefined) throw new Error(`expected the suite to have ${key}`);
  return found;
}

const LITERALS = ['const', 'enum', 'default', 'examples'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Rewrites the references within a schema, which were relative to its own document. */
function relocate(json: Json, pointer: string): Json {
  const visit = (schema: Json): Json => {
    if (Array.isArray(schema)) return schema.map(visit);
    if (schema === null || typeof schema !== 'object') return schema;
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (LITERALS.includes(keyword)) return [keyword, value];
        if (MAPS.includes(keyword)) {
          const members = Object.entries(asObject(value)).map(([name, one]) => [name, visit(one)]);
          return [keyword, Object.fromEntries(members) as JsonObject];
        }
        const within = keyword === '$ref' && typeof value === 'string' && /^#(\/|$)/.test(value);
        return [keyword, within ? `#${pointer}${value.slice(1)}` : visit(value)];
      }),
    );
  };
  return visit(json);
}
