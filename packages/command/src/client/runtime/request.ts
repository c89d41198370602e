/** Writes a request by the plan of its operation. */
import { closest } from './answer';
import { type PartHeaders, type Sent, writeBody, writeForm } from './bodies';
import type { Operation, Parameter, Scheme } from './plan';
import { type CallOptions, UnwritableRequest } from './types';
import { asIs, inCookie, inField, isEmpty, percent, queryOf, wholeOf, writePairs, writeText } from './write';

export type Given = Readonly<Record<string, unknown>>;

/** A call, whose parts the types of its operation describe. */
export interface AnyRequest extends CallOptions {
  readonly path?: Given;
  readonly query?: unknown;
  readonly header?: Given;
  readonly cookie?: Given;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  readonly partHeaders?: PartHeaders;
}

export interface Written {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Sent | undefined;
}

/** @throws {UnwritableRequest} with the place of what a request cannot carry */
export async function located<T>(place: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UnwritableRequest) throw new UnwritableRequest(`${place}: ${error.message}`);
    if (!(error instanceof RangeError)) throw error;
    throw new UnwritableRequest(`${place}: a value contains itself, or is nested too deep`);
  }
}

const ownOf = (values: Given | undefined, name: string): unknown =>
  values && Object.hasOwn(values, name) ? values[name] : undefined;

/** The parameters of a request, by what carries them. */
class WrittenParameters {
  readonly segments = new Map<string, string>();
  readonly query: [string, string][] = [];
  readonly cookies: [string, string][] = [];
  whole: string | undefined;

  private readonly headers: Headers;

  constructor(headers: Headers) {
    this.headers = headers;
  }

  write(parameter: Parameter, value: unknown): void {
    const { name, in: place, style } = parameter;
    const isWhole = parameter.json === true || parameter.isText === true;
    if (!isWhole && isEmpty(value)) {
      if (parameter.isTelling !== true && place !== 'path') return;
      throw new UnwritableRequest('an empty list cannot be distinguished from none, or from an empty string');
    }
    if (place === 'path') this.segments.set(name, writeText(parameter, value, percent));
    else if (place === 'query') this.query.push(...writePairs(parameter, value, percent));
    else if (place === 'cookie')
      this.cookies.push(...writePairs(parameter, value, style === 'cookie' ? inCookie : percent));
    else if (place === 'querystring')
      this.whole = isWhole ? percent(wholeOf(parameter, value)) : writeForm(parameter.parts, value);
    else this.headers.set(name, inField(writeText(parameter, value, asIs)));
  }

  /** Adds the credentials of a scheme (OpenAPI 3.1 section 4.8.27). */
  authenticate({ kind, in: place, name = '' }: Scheme, secret: string): void {
    if (kind !== 'apiKey') this.headers.set('Authorization', inField(`${name} ${secret}`));
    else if (place === 'query') this.query.push([percent(name), percent(secret)]);
    else if (place === 'cookie') this.cookies.push([name, inCookie(secret)]);
    else this.headers.set(name, inField(secret));
  }
}

/**
 * The path with its parameters.
 *
 * @throws {UnwritableRequest} for one that a URL would resolve to another path
 */
function pathOf(template: string, segments: ReadonlyMap<string, string>): string {
  // What follows is the literal before the next parameter of the segment, at whose first occurrence a server ends the value.
  const path = template.replace(
    /\{([^{}]*)\}(?:(?=([^{}/]+)\{)|)/g,
    (_, name: string, next: string | undefined) => {
      const text = segments.get(name) ?? '';
      if (text === '') throw new UnwritableRequest(`path/${name}: a path parameter cannot be empty`);
      if (next !== undefined && `${text}${next}`.indexOf(next, 1) < text.length)
        throw new UnwritableRequest(
          `path/${name}: ${JSON.stringify(next)} ends the value, so the value cannot contain it`,
        );
      return text;
    },
  );
  if (!path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return path;
  throw new UnwritableRequest(`path: ${path} leads to another path`);
}

/** @throws {UnwritableRequest} */
export async function writeRequest(
  { id, method, path, parameters, responses, bodies }: Operation,
  base: string,
  request: AnyRequest,
  secrets: readonly (readonly [Scheme, string])[],
): Promise<Written> {
  const headers = new Headers();
  const written = new WrittenParameters(headers);
  for (const parameter of parameters) {
    const { name, in: place } = parameter;
    const value = place === 'querystring' ? request.query : ownOf(request[place] as Given | undefined, name);
    if (value === undefined) continue;
    await located(`${id}: ${place}/${name}`, () => {
      written.write(parameter, value);
    });
  }
  for (const [scheme, secret] of secrets)
    await located(`${id}: credentials`, () => {
      written.authenticate(scheme, secret);
    });
  const { query, cookies, segments, whole } = written;
  if (cookies.length > 0) headers.set('Cookie', cookies.map((pair) => pair.join('=')).join('; '));
  const accepted = Object.values(responses).flatMap(({ content }) => content.map(({ key }) => key));
  const accept = request.accept ?? [...new Set(accepted)].join(', ');
  if (accept !== '') headers.set('Accept', accept);
  const { body: value, contentType, partHeaders = {} } = request;
  const body =
    value === undefined
      ? undefined
      : await located(`${id}: body`, () => {
          const media =
            contentType === undefined && bodies.length === 1 ? bodies[0] : closest(bodies, contentType ?? '');
          const type = contentType ?? media?.key;
          if (media && type?.includes('*') === false) return writeBody(media, type, value, partHeaders);
          throw new UnwritableRequest(`expected a contentType: ${bodies.map(({ key }) => key).join(', ')}`);
        });
  if (body) headers.set('Content-Type', body.type);
  for (const [name, text] of Object.entries(request.headers ?? {}))
    await located(`${id}: headers/${name}`, () => {
      headers.set(name, inField(text));
    });
  const target = await located(id, () => pathOf(path, segments));
  const search = whole ?? queryOf(query);
  return { method, url: `${base}${target}${search === '' ? '' : `?${search}`}`, headers, body: body?.body };
}
