import { OpenApiDocument } from '../../src/contract/document/document';
import { parseJson } from '../../src/contract/json/parse';
import type { Direction } from '../../src/contract/schema/one-way';
import { envelopeSchema, NO_PARAMETERS } from '../../src/contract/schema/envelope';
import { SchemaSet } from '../../src/contract/schema/schema-set';
import { createCompiler, type Envelope, type SchemaViolation } from '../../src/contract/schema/validator';
import { buildDocument } from '../../../../scripts/testing/service';

/** Judges the bodies of one schema, without a server. */
export interface Judged {
  /** The first violation of a body in JSON; empty if it conforms. */
  readonly first: (text: string) => readonly SchemaViolation[];
  readonly all: (text: string) => readonly SchemaViolation[];
}

/** Compiles the schema `Body` of these components. */
export function judged(schemas: Readonly<Record<string, unknown>>, direction: Direction = 'request'): Judged {
  const document = new OpenApiDocument(buildDocument({ components: { schemas } }));
  const set = new SchemaSet(document, direction);
  const pointer = '/components/schemas/Body';
  const envelope = envelopeSchema(NO_PARAMETERS, pointer, set, true);
  set.check();
  document.assertValid();
  const first = createCompiler(direction, set, false, {});
  const all = createCompiler(direction, set, true, {});
  const [checkFirst, checkAll] = [first.compile(envelope), all.compile(envelope)];
  const read = (text: string): Envelope => {
    const holder = {};
    parseJson(text, holder, 'body');
    return holder;
  };
  return {
    first: (text) => checkFirst(read(text)),
    all: (text) => checkAll(read(text)),
  };
}
