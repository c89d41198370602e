/** The requests that the server sends: those of `webhooks` and `callbacks`. They are judged before they leave. */
import { branded } from './brand';
import { Codecs } from './codecs/registry';
import { checkDefaults, checkSchemas, createJudges, prepareComponents } from './compile';
import type { OpenApiDocument } from './document/document';
import { atStart } from './exchange/plan';
import { planRequests } from './exchange/plan-request';
import { ResponsePlans } from './exchange/plan-response';
import { UndocumentedResponse } from './exchange/write-response';
import type { Extensions } from './exchange/service-options';
import { fieldValue } from './http/header-field';
import { OutgoingBody } from './http/send';
import type { Operation, Parameter } from './operations/operations';
import { type CallbackContext, evaluateTemplate, NoCallbackUrl } from './operations/runtime-expression';
import { readSentOperations, type SentOperation } from './operations/sent';
import { Unservable } from './parameters/parts';
import { writeParameter } from './parameters/write';
import { Problem } from './problem';
import { SchemaSet } from './schema/schema-set';
import { Shapes } from './schema/shapes';

/** The header fields of Standard Webhooks. Who signs a message sets them, and a document may describe them. */
export const SIGNATURE_FIELDS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** A request that the document does not allow. Its message says what is wrong, and where. */
export class UndocumentedRequest extends Error {
  override name = 'UndocumentedRequest';
}
branded(UndocumentedRequest, 'UndocumentedRequest');

/** What is sent to a receiver, with values of the types in the document. sender-types.ts has the types of each operation. */
export interface GivenRequest {
  /** Absolute; a documented query is added to its own. */
  readonly url: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  /** One of the documented media types; by default JSON, if it is one of them. */
  readonly contentType?: string | undefined;
  /** The value of `Authorization`, if the receiver asks for one. */
  readonly authorization?: string | undefined;
}

/** A request that conforms to the document. */
export interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Writes the requests of one operation. */
export interface Sendable {
  /** @throws {UndocumentedRequest} */
  write(request: GivenRequest): WrittenRequest;
  /**
   * The URL of a callback.
   *
   * @throws {NoCallbackUrl} if the exchange lacks a value, or this is a webhook
   */
  urlOf(context: CallbackContext): string;
}

/**
 * Compiles what the server sends, by the names of sent.ts. No request finds further faults in the document. The values that it
 * sends are those of responses: `readOnly` properties are sent, and `writeOnly` are not.
 *
 * @param document not one that a service uses: the findings are of what is sent only
 * @throws {InvalidContract} with all findings, each with its JSON pointer
 */
export function compileSent(
  document: OpenApiDocument,
  { formats = {}, codecs: own = [] }: Extensions = {},
): ReadonlyMap<string, Sendable> {
  document.assertValid();
  checkSchemas(document);
  const codecs = new Codecs(own);
  const outgoing = new SchemaSet(document, 'response');
  const incoming = new SchemaSet(document, 'request');
  const writers = new ResponsePlans(document, outgoing, codecs);
  const plans = readSentOperations(document).map((sent) => {
    const { operation } = sent;
    const isOwn = ({ name }: { readonly name: string }) => SIGNATURE_FIELDS.includes(name.toLowerCase());
    const parameters = operation.parameters.filter((one) => !(one.in === 'header' && isOwn(one)));
    const query = parameters.filter((one) => one.in === 'query');
    return {
      sent,
      query,
      writer: writers.ofSent(withWritable(document, codecs, { ...operation, parameters })),
      // What is written of a query is read again, as its receiver does.
      reader: planRequests(
        document,
        { ...operation, parameters: query, requestBody: undefined },
        incoming,
        codecs,
      ),
    };
  });
  incoming.check();
  outgoing.check();
  document.assertValid();
  const requests = createJudges('request', incoming, formats, atStart);
  const responses = createJudges('response', outgoing, formats, atStart);
  const asReceived = [
    atStart,
    requests.judgeOf,
    new Shapes(incoming, 'request', requests.conformance.of),
  ] as const;
  const asSent = [
    atStart,
    responses.judgeOf,
    new Shapes(outgoing, 'response', responses.conformance.of),
  ] as const;
  checkDefaults(document, incoming, requests.conformance.of, new Set());
  document.assertValid();
  const compiled = plans.map(({ sent, query, writer, reader }): [string, Sendable] => {
    const write = writer(...asSent);
    const readQuery = reader(...asReceived);
    return [
      sent.name,
      {
        write: (given) =>
          documented(sent, () => {
            const { body, headers } = write({ ...given, headers: given.header }, fieldsOf(given));
            if (body instanceof OutgoingBody) {
              body.release(() => undefined);
              throw new UndocumentedResponse('a body is signed before it is sent: pass its bytes');
            }
            const pairs = queryOf(query, given.query);
            readQuery.read({ path: new Map(), query: pairs, rawHeaders: [] });
            return {
              method: sent.operation.method,
              url: withQuery(given.url, pairs),
              headers: textsOf(headers),
              body,
            };
          }),
        urlOf: (context) => urlOf(sent, context),
      },
    ];
  });
  prepareComponents(document, requests, incoming);
  prepareComponents(document, responses, outgoing);
  document.assertValid();
  return new Map(compiled);
}

/** Of several media types those that can be written: which one is sent is for the server to say. */
function withWritable(document: OpenApiDocument, codecs: Codecs, operation: Operation): Operation {
  const { requestBody } = operation;
  const content = (requestBody?.content ?? []).filter((media) => {
    const body = { ...media, document };
    try {
      return typeof codecs.of(body).writer(body) === 'function';
    } catch (error) {
      if (error instanceof Unservable) return false;
      throw error;
    }
  });
  return requestBody && content.length > 0
    ? { ...operation, requestBody: { ...requestBody, content } }
    : operation;
}

/** Reports whatever the document does not allow as an UndocumentedRequest. */
function documented({ name }: SentOperation, write: () => WrittenRequest): WrittenRequest {
  try {
    return write();
  } catch (error) {
    const isKnown =
      error instanceof UndocumentedResponse || error instanceof Problem || error instanceof TypeError;
    if (!isKnown) throw error;
    throw new UndocumentedRequest(`${name} is not sent: ${error.message}`, { cause: error });
  }
}

const fieldsOf = ({ authorization }: GivenRequest): Record<string, string> =>
  authorization === undefined ? {} : { Authorization: fieldValue('Authorization', authorization) };

/** The query of documented parameters, without a question mark. */
function queryOf(parameters: readonly Parameter[], given: GivenRequest['query'] = {}): string {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const pairs = Object.entries(given).flatMap(([name, value]) => {
    const parameter = known.get(name);
    if (!parameter) throw new UndocumentedResponse(`query/${name} is not in the document`);
    return value === undefined ? [] : (writeParameter(parameter, value) ?? []);
  });
  return pairs.join('&');
}

function withQuery(url: string, query: string): string {
  const [before = ''] = /^[^#]*/.exec(url) ?? []; // of untyped code too, whose value is then no URL
  if (query === '') return before;
  return `${before}${before.includes('?') ? '&' : '?'}${query}`;
}

/** Requests have no header with several values: only Set-Cookie cannot be one list. */
const textsOf = (headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

function urlOf({ name, url, method }: SentOperation, context: CallbackContext): string {
  if (url) return evaluateTemplate(url, { method, ...context });
  throw new NoCallbackUrl(
    `${name} is a webhook, and its URL is not in the document: pass the URL of its receiver`,
  );
}
