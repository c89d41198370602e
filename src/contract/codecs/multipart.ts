import { joinPointer, members } from '../document/document';
import type { IncomingBody } from '../http/body';
import { append, EMPTY } from '../http/chunks';
import type { MediaType } from '../http/media-type';
import { MAX_IN_MEMORY, Spool, type Uploads } from '../http/uploads';
import { excerpt } from '../json/excerpt';
import type { Holder } from '../json/parse';
import { DescribedValue } from '../operations/described-value';
import { MalformedParameter, type Pairs } from '../parameters/pairs';
import { decodePercent, servable, unlisted, Unservable } from '../parameters/parts';
import { Problem } from '../problem';
import type { Codec, DescribedBody } from './codec';
import { compileFields, type ReadFields } from './form';
import { Framing, type Piece } from './multipart-framing';
import { dispositionOf, parseHead, type PartHead } from './multipart-head';
import { faultOf, type PartRule, ruleOf, TEXT_PART, textOf } from './multipart-part';

/** Forms with files (RFC 7578, OpenAPI 3.1 section 4.8.14.3). They are read only. */
export const multipart: Codec = {
  name: 'multipart',
  mediaType: 'multipart/form-data',
  isText: false,
  isJudged: true,
  carries: (essence) => essence.startsWith('multipart/'),
  reader(body) {
    if (body.type.essence !== 'multipart/form-data')
      throw new Unservable(`${body.key} cannot be served: multipart/form-data can`);
    const form = compileForm(body);
    return {
      judged: body.schema,
      items: undefined,
      read: (pieces, envelope, type) => readForm(form, pieces, envelope, type),
    };
  },
  writer({ key }) {
    throw new Unservable(`a body of ${key} can only be received`);
  },
};

/** How the parts of a form are read. */
interface Form {
  readonly rules: ReadonlyMap<string, PartRule>;
  /** The parts that are not listed; undefined if the schema describes none: what they hold is left out. */
  readonly others: PartRule | undefined;
  readonly fields: ReadFields;
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
  for (const name of encodings.keys()) {
    if (names.includes(name)) continue;
    const message = `${name} is not a property of the schema`;
    document.addRemark({ pointer: joinPointer(pointer, 'encoding', name), message, keyword: 'Encoding' });
  }
  const isOpen =
    names.length === 0 ||
    form
      .schemas()
      .some((one) => (one['additionalProperties'] ?? one['unevaluatedProperties'] ?? false) !== false);
  const others = isOpen ? servable(document, place, '*', () => ruleOf(unlisted(form), undefined)) : undefined;
  const files = new Set(names.filter((name) => rules.get(name)?.isFile === true));
  const encodingOf = (name: string) => rules.get(name)?.encoding ?? {};
  const fields = compileFields(document, schema, { encodingOf, decode: decodePercent, except: files });
  return { rules, others, fields };
}

async function readForm(form: Form, body: IncomingBody, envelope: Holder, type: MediaType): Promise<void> {
  const { uploads } = body;
  if (!uploads) throw new Error('expected a service that receives uploads');
  const framing = new Framing(type.parameters.get('boundary'));
  const reception = new Reception(form, body, uploads);
  for await (const bytes of body) {
    const before = reception.held;
    for (const piece of framing.push(bytes)) await reception.take(piece);
    body.release(bytes.length - (reception.held - before));
  }
  framing.end();
  envelope['body'] = reception.value();
}

/** A part that is being received. */
interface Part extends Pick<PartHead, 'contentType'> {
  readonly name: string;
  readonly fileName: string;
  readonly rule: PartRule;
  /** Undefined for a text. */
  readonly spool: Spool | undefined;
  text: Buffer;
  size: number;
}

/** The parts of a body, as they arrive. */
class Reception {
  /** Bytes in memory. */
  held = 0;
  private part: Part | undefined;
  private readonly texts: Pairs = new Map();
  private readonly files = new Map<string, File[]>();

  constructor(
    private readonly form: Form,
    private readonly body: IncomingBody,
    private readonly uploads: Uploads,
  ) {}

  take(piece: Piece): void | Promise<void> {
    const { part } = this;
    if (piece.kind === 'head') this.begin(parseHead(piece.head));
    else if (part && piece.kind === 'data') return this.write(part, piece.data);
    else if (part) return this.end(part);
  }

  /** The body as the handler receives it. */
  value(): Holder {
    const body = this.form.fields(this.texts);
    for (const [name, files] of this.files) {
      const [file, another] = files;
      const rule = this.form.rules.get(name) ?? this.form.others;
      if (another && rule?.isList !== true) throw malformed(name, 'is given more than once');
      body[name] = rule?.isList === true ? files : file;
    }
    return body;
  }

  private begin(head: PartHead): void {
    const { name, fileName } = dispositionOf(head);
    if (name === '__proto__')
      throw new MalformedParameter('body has the name "__proto__", which is not accepted', '/body');
    const { rules, others, fields } = this.form;
    const rule = rules.get(name) ?? (fields.reads(name) ? TEXT_PART : others);
    if (!rule) {
      // The schema says whether there may be such a part. What it holds is left out.
      this.texts.set(name, ['']);
      this.part = undefined;
      return;
    }
    const wrong = faultOf(rule, head);
    if (wrong !== undefined) throw malformed(name, wrong);
    let spool: Spool | undefined;
    if (rule.isFile) {
      const file = new Spool(this.uploads, Math.min(MAX_IN_MEMORY, this.uploads.memory - this.held));
      this.body.whenOver(() => file.remove());
      spool = file;
    }
    const { contentType } = head;
    this.part = { name, fileName, rule, contentType, spool, text: EMPTY, size: 0 };
  }

  private async write(part: Part, data: Buffer): Promise<void> {
    if (part.spool) {
      this.held += await part.spool.write(data);
      return;
    }
    part.text = append(part.text, part.size, data);
    part.size += data.length;
    this.held += data.length;
    const { memory } = this.uploads;
    if (this.held > memory)
      throw new Problem(
        'tooLarge',
        `the parts of the body without its files are larger than ${memory} bytes`,
      );
  }

  private async end({ name, fileName, contentType, spool, text, size, rule }: Part): Promise<void> {
    this.part = undefined;
    if (spool) {
      add(this.files, name, await spool.end(fileName, contentType ?? 'text/plain'));
      return;
    }
    const decoded = textOf(text.subarray(0, size), rule);
    if (decoded === undefined) throw malformed(name, 'is not UTF-8');
    add(this.texts, name, decoded);
  }
}

function add<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

const malformed = (name: string, message: string) =>
  new MalformedParameter(`body/${excerpt(name)} ${message}`, joinPointer('/body', name));
