import { applyShape, type BodyShape, type JudgeItem } from '../codecs/codec';
import type { Codecs } from '../codecs/registry';
import { joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { hasNoContent } from '../http/body';
import { isFieldValue, unservableField } from '../http/header-field';
import { compileHeader, type WriteHeader } from '../parameters/header';
import type { Operation, ResponseObject } from '../operations/operations';
import { envelopeSchema, parameterSchemas } from '../schema/envelope';
import type { SchemaSet } from '../schema/schema-set';
import type { Shapes } from '../schema/shapes';
import type { Judge } from '../schema/validator';
import { type Create, judgesOf } from './plan';
import { describeViolations, inItem } from './describe-violations';
import {
  asUndocumented,
  type ResponseWriter,
  responseWriter,
  sentWriter,
  type StatusWriter,
  UndocumentedResponse,
  type Variant,
  type WriteSent,
} from './write-response';

/** What a request says of its receiver or of its connection: no value of a handler may decide it. */
const DECIDED = /^(?:host|expect|cookie)$/i;

/** Plans the writers of the responses of a document. Many operations refer to the same response: it is planned once. */
export class ResponsePlans {
  private readonly known = new Map<string, ResponsePlan>();

  constructor(
    private readonly document: OpenApiDocument,
    private readonly schemas: SchemaSet,
    private readonly codecs: Codecs,
  ) {}

  /** Plans the writer of an operation's responses. Call the result after all operations are planned: it compiles schemas. */
  of(operation: Operation) {
    const plans = [...operation.responses].map(([status, response]) => {
      const place = joinPointer(operation.pointer, 'responses', status);
      const { pointer, value } = this.document.follow(place);
      const mayLackContent = hasNoContent(Number(status)) || /^(?:[23]XX|default)$/.test(status);
      const isContentless = mayLackContent && members(value['content']).length > 0;
      const key = `${pointer} ${isContentless}`;
      const plan = this.known.get(key) ?? this.plan(joinPointer(pointer, 'headers'), response, isContentless);
      this.known.set(key, plan);
      return [status, plan] as const;
    });
    return (...given: CompileWith): ResponseWriter => {
      const writers = new Map<string, StatusWriter>();
      for (const [status, plan] of plans) {
        plan.writer ??= writerOf(plan, ...given);
        writers.set(status, plan.writer);
      }
      return responseWriter(this.codecs, operation, writers);
    };
  }

  /** Plans the writer of the requests of an operation that the server sends: their headers and their body. */
  ofSent({
    pointer,
    parameters,
    requestBody: { required, content } = { required: false, content: [] },
  }: Operation) {
    const headers = parameters.filter((parameter) => parameter.in === 'header');
    for (const { name } of headers.filter((header) => DECIDED.test(header.name)))
      this.document.addFinding(
        joinPointer(pointer, 'parameters', name),
        'is decided by the URL of a receiver, and no handler can',
      );
    const plan = this.plan(joinPointer(pointer, 'parameters'), { headers, content }, !required);
    for (const { media } of plan.variants) {
      if (media && typeof media.encode !== 'function')
        this.document.addFinding(
          media.pointer,
          `a body of ${media.key} is not known at once, and the server signs what it sends`,
        );
    }
    return (...given: CompileWith): WriteSent => sentWriter(this.codecs, writerOf(plan, ...given));
  }

  /** @param holder the pointer that findings about a header begin with */
  private plan(holder: string, { headers, content }: ResponseObject, isContentless: boolean): ResponsePlan {
    const { document, schemas, codecs } = this;
    for (const { name } of headers) {
      const reason = unservableField(name);
      if (reason !== undefined) document.addFinding(joinPointer(holder, name), reason);
    }
    for (const { key, pointer } of content) {
      if (!isFieldValue(key)) document.addFinding(pointer, 'is not a media type: it is not ASCII');
    }
    const parameters = parameterSchemas(headers, schemas);
    const bodies = content.flatMap((media): VariantPlan[] => {
      const body = { ...media, document };
      const codec = codecs.of(body);
      const encode = codecs.writer(body);
      if (!encode) return [];
      const { judged, items, item } = judgesOf(encode, codec, media, schemas);
      const schema = envelopeSchema(parameters, judged, schemas, false);
      return [{ media: { ...media, codec, encode }, judged: items ?? judged, schema, item }];
    });
    const bodiless: VariantPlan = {
      media: undefined,
      judged: undefined,
      schema: envelopeSchema(parameters, undefined, schemas, false),
      item: undefined,
    };
    const variants = content.length > 0 ? bodies : [bodiless];
    const writers = headers.map((header): [string, WriteHeader] => [
      header.name.toLowerCase(),
      compileHeader(document, header, joinPointer(holder, header.name)),
    ]);
    return {
      headers: new Map(writers),
      variants,
      contentless: isContentless ? bodiless : undefined,
      writer: undefined,
    };
  }
}

/** A variant, planned. */
interface VariantPlan {
  readonly media: Variant['media'];
  /** The pointer of the schema that judges each item of the body, or the whole. */
  readonly judged: string | undefined;
  readonly schema: JsonObject;
  readonly item: JsonObject | undefined;
}

/** The writer of a response, planned. */
interface ResponsePlan {
  readonly headers: ReadonlyMap<string, WriteHeader>;
  readonly variants: readonly VariantPlan[];
  readonly contentless: VariantPlan | undefined;
  writer: StatusWriter | undefined;
}

type CompileWith = [create: Create, judgeOf: (schema: JsonObject) => Judge, shapes: Shapes];

function writerOf(
  { headers, variants, contentless }: ResponsePlan,
  ...[create, judgeOf, shapes]: CompileWith
): StatusWriter {
  const compile = ({ media, judged, schema, item }: VariantPlan): Variant => {
    const shape =
      judged === undefined
        ? NO_SHAPE
        : create({
            project: () => shapes.projection(judged),
            convert: () => shapes.converter(judged),
            findMarked: () => shapes.finder(judged),
          });
    const each = item ? judgeItem(judgeOf(item), shape) : () => undefined;
    return { media, judge: judgeOf(schema), shape, each };
  };
  return {
    headers,
    variants: variants.map(compile),
    contentless: contentless && compile(contentless),
  };
}

const NO_SHAPE: BodyShape = { project: undefined, convert: undefined, findMarked: undefined };

/** Compiles the judge of the items of a stream. */
function judgeItem(judge: Judge, shape: BodyShape): JudgeItem {
  return (envelope, index) => {
    asUndocumented(() => applyShape(envelope, shape));
    const violations = judge.first(envelope);
    if (violations.length === 0) return;
    const all = inItem(judge.all(envelope), index);
    throw new UndocumentedResponse(`the response: ${describeViolations(inItem(violations, index), all)}`);
  };
}
