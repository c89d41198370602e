import { joinPointer, members } from '../document/document';
import type { IncomingBody } from '../http/body';
import type { MediaType } from '../http/media-type';
import type { Holder } from '../json/values';
import { DescribedValue } from '../operations/described-value';
import { headersAt, type Parameter } from '../operations/operations';
import { Pairs } from '../parameters/pairs';
import { compileParameters, MalformedParameter, type ReadParameters } from '../parameters/parameters';
import { decodePercent, isOpen, servable, unlisted, Unservable } from '../parameters/parts';
import type { Codec, DescribedBody } from './codec';
import { compileFields, type ReadFields } from './form';
import { dispositionOf, type PartHead } from './multipart-head';
import { type PartRule, ruleOf, ruleOfAny, ruleOfContinued } from './multipart-part';
import { compilePositions } from './multipart-positions';
import { malformedPart, receiveParts } from './multipart-reception';

/** Forms with files (RFC 7578, OpenAPI 3.1 section 4.8.14.3). They are read only. */
export const multipart: Codec = {
  name: 'multipart',
  mediaType: 'multipart/form-data',
  isText: false,
  isJudged: true,
  carries: (essence) => essence.startsWith('multipart/'),
  reader(body) {
    const isForm = body.type.essence === 'multipart/form-data';
    const at = (field: string) => joinPointer(body.pointer, field);
    const wrong = (
      isForm ? ['itemSchema', 'x-item-schema', 'prefixEncoding', 'itemEncoding'] : ['encoding']
    ).find((field) => body.document.at(at(field)) !== undefined);
    if (wrong !== undefined)
      throw new Unservable(
        `the parts of ${body.key} are read by their ${isForm ? 'names' : 'positions'}, not by ${wrong}`,
      );
    if (!isForm) return compilePositions(body);
    const form = compileForm(body);
    return {
      judged: body.schema,
      items: undefined,
      parts: new Map([...form.headers].map(([name, { documented }]) => [name, documented])),
      read: (pieces, envelope, type) => readForm(form, pieces, envelope, type),
    };
  },
  writer({ key }) {
    throw new Unservable(`a body of ${key} can only be received`);
  },
};

/** The documented header fields of the parts of one name. */
interface PartHeaders {
  readonly documented: readonly Parameter[];
  readonly read: ReadParameters;
}

/** How the parts of a form are read. */
interface Form {
  readonly rules: ReadonlyMap<string, PartRule>;
  /** The parts that are not listed; undefined if the schema describes none: what they hold is left out. */
  readonly others: PartRule | undefined;
  readonly fields: ReadFields;
  readonly headers: ReadonlyMap<string, PartHeaders>;
}

function compileForm({ document, schema, pointer }: DescribedBody): Form {
  const encodings = new Map(members(document.at(joinPointer(pointer, 'encoding'))));
  const place = schema ?? pointer;
  const form = DescribedValue.at(document, schema);
  const names = form.propertyNames();
  const rules = new Map<string, PartRule>();
  for (const name of names) {
    const rule = servable(document, place, name, () => ruleOf(form.property(name), encodings.get(name)));
    if (rule) rules.set(name, rule);
  }
  const headers = new Map<string, PartHeaders>();
  for (const name of encodings.keys()) {
    const at = joinPointer(pointer, 'encoding', name);
    const documented = headersAt(document, joinPointer(at, 'headers'));
    if (documented.length > 0) {
      const read = compileParameters(document, { parameters: documented, security: [], pointer: at });
      headers.set(name, { documented, read });
    }
    if (names.includes(name)) continue;
    const message = `${name} is not a property of the schema`;
    document.addRemark({ pointer: at, message, keyword: 'Encoding' });
  }
  const others = isOpen(form)
    ? servable(document, place, '*', () => ruleOf(unlisted(form), undefined))
    : undefined;
  const encodingOf = (name: string) => rules.get(name)?.encoding ?? {};
  const fields = compileFields(document, schema, {
    encodingOf,
    decode: (text) => text,
    decodeStyled: decodePercent,
    place: 'body',
  });
  return { rules, others, fields, headers };
}

async function readForm(form: Form, body: IncomingBody, envelope: Holder, type: MediaType): Promise<void> {
  const { rules, others, fields, headers } = form;
  const texts = new Pairs();
  const files = new Map<string, File[]>();
  const received = new Map<string, object[]>();
  await receiveParts(body, type, (head) => {
    const { name, fileName } = dispositionOf(head);
    if (name === '__proto__')
      throw new MalformedParameter('body has the name "__proto__", which is not accepted', '/body');
    const owner = fields.ownerOf(name);
    const listed = rules.get(name) ?? ruleOfContinued(rules.get(owner));
    const found = listed ?? others;
    if (!found) {
      texts.set(name, ['']); // for the schema, which says whether there may be such a part
      return undefined;
    }
    const rule = ruleOfAny(found, head, fileName);
    const known = files.get(owner);
    if (known && !rule.isList) throw malformedPart(name, 'is given more than once');
    if (rule.isFile ? !known && texts.has(name) : known) throw malformedPart(name, 'is both text and a file');
    const documented = headers.get(name);
    if (documented) add(received, name, readHeaders(name, documented, head));
    const done = (value: File | string) => {
      if (typeof value === 'string') texts.add(name, asPairs(value, rule));
      // The fields of a form are texts: for a file, its number.
      else texts.add(name, String(add(files, owner, value)));
    };
    return { name, fileName, rule, done };
  });
  const value = fields(texts);
  for (const [name, list] of files) {
    const numbers = value[name];
    value[name] = Array.isArray(numbers)
      ? numbers.map((number) => list[Number(number)])
      : list[Number(numbers)];
  }
  envelope['body'] = value;
  if (headers.size > 0) envelope['part'] = Object.fromEntries(received);
}

function readHeaders(name: string, { read }: PartHeaders, { rawHeaders }: PartHead): object {
  try {
    return read({ path: new Map(), query: '', rawHeaders }).header ?? {};
  } catch (error) {
    if (!(error instanceof MalformedParameter)) throw error;
    throw malformedPart(name, `has a header field that is not as documented: ${error.message}`);
  }
}

/** The text of a part as form.ts reads it: with a style it is percent-encoded, since its percent signs and delimiters are data. */
const asPairs = (text: string, { isStyled }: PartRule): string =>
  isStyled ? text.replace(/[%+ ]/g, encodeURIComponent) : text;

/** Adds a value to the list of a name. Returns its index. */
function add<T>(lists: Map<string, T[]>, name: string, value: T): number {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list.push(value) - 1;
}
