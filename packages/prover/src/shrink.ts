import type { Case, RunContext } from './cases/case';
import { NumberLiteral, print, type Value } from './json/value';
import { type Slot, slots } from './request/slots';
import type { Oracle } from './schema/oracle';
import { header, jsonOf, type RawRequest, withHeader } from './wire/message';
import { codecOf, matchesMediaType } from './document/media';

interface ShrinkContext extends Pick<RunContext, 'document' | 'oracle'> {
  /** Whether a smaller case fails with the same cause. Sends one request. */
  readonly fails: (smaller: Case) => Promise<boolean>;
  /** The largest number of requests. */
  readonly budget: number;
}

/**
 * Removes what a failed case does not need to fail: members and items of a JSON body, long values, optional parameters. A
 * smaller case is as valid as the one before, or invalid for the same reason; else another answer would be right.
 */
export async function shrinkCase(context: ShrinkContext, failed: Case): Promise<Case> {
  let smallest = failed;
  let budget = context.budget;
  const tried = new Set<string>();
  for (let improved = true; improved;) {
    improved = false;
    for (const candidate of smallerCases(context, smallest)) {
      const key = `${candidate.request.target}\n${String(candidate.request.headers)}\n${candidate.request.body?.toString('latin1') ?? ''}`;
      if (tried.has(key)) continue;
      if (budget-- <= 0) return smallest;
      tried.add(key);
      if (!(await context.fails(candidate))) continue;
      smallest = candidate;
      improved = true;
      break;
    }
  }
  return smallest;
}

function smallerCases(context: ShrinkContext, sent: Case): Case[] {
  const { expect, about, operation } = sent;
  // Without a known fault, a part of the request may be the fault itself.
  if (expect.kind === 'status' || (expect.kind === 'refused' && about === undefined)) return [];
  const faulty = about?.slice(`${operation.id} | `.length).split(' | ')[0];
  return [...withSmallerBody(context, sent), ...withFewerParameters(sent, faulty)];
}

/** The case with one part of its JSON body removed or made smaller. */
function withSmallerBody({ document, oracle }: ShrinkContext, sent: Case): Case[] {
  const { request, operation } = sent;
  const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!request.body || codecOf(type) !== 'json') return [];
  const slot = slots(document, operation).find(({ body }) => body && matchesMediaType(body.name, type));
  const value = jsonOf(request);
  if (!slot || value === undefined) return [];
  const validity = validityOf(oracle, slot, value);
  return smallerValues(value)
    .filter((smaller) => validityOf(oracle, slot, smaller) === validity)
    .map((smaller) => withBody(sent, slot, smaller));
}

/** The errors of a value, without its lengths and numbers. Equal for values that are invalid for the same reason. */
const validityOf = (oracle: Oracle, { schema }: Slot, value: Value): string =>
  oracle.valid(schema, value) ? 'valid' : oracle.errors(schema, value).join('\n').replace(/\d+/g, 'N');

function withBody(sent: Case, slot: Slot, value: Value): Case {
  const { handlerInput } = sent;
  const body = Buffer.from(print(value));
  const received =
    handlerInput?.sent?.slot.body === undefined
      ? handlerInput
      : { inputs: slot.fill(handlerInput.inputs, value), sent: { slot, value } };
  return { ...sent, request: { ...sent.request, body }, ...(received && { handlerInput: received }) };
}

/** The case without one of its optional parameters in the query or a header. */
function withFewerParameters(sent: Case, faulty: string | undefined): Case[] {
  const { operation, request, handlerInput } = sent;
  if (handlerInput) return [];
  return operation.parameters
    .filter(({ required, name, in: location }) => !required && `${location} ${name}` !== faulty)
    .flatMap(({ name, in: location }): RawRequest[] => {
      if (location === 'header') {
        return header(request, name) === undefined ? [] : [withHeader(request, name, undefined)];
      }
      const [path = '', query] = request.target.split('?');
      if (location !== 'query' || query === undefined) return [];
      const pairs = query.split('&');
      const encoded = encodeURIComponent(name);
      const kept = pairs.filter(
        (pair) => pair.split('=')[0] !== encoded && !pair.startsWith(`${encoded}%5B`),
      );
      const target = kept.length > 0 ? `${path}?${kept.join('&')}` : path;
      return kept.length < pairs.length ? [{ ...request, target }] : [];
    })
    .map((smaller) => ({ ...sent, request: smaller }));
}

/** Values with one part less, or one part smaller: the largest steps first. */
function smallerValues(value: Value): Value[] {
  if (value instanceof Map) {
    const without = [...value.keys()].map((name) => new Map([...value].filter(([other]) => other !== name)));
    const within = [...value].flatMap(([name, member]) =>
      smallerValues(member).map((smaller) => new Map(value).set(name, smaller)),
    );
    return [...without, ...within];
  }
  if (Array.isArray(value)) {
    const half = value.length > 3 ? [value.slice(0, value.length / 2), value.slice(value.length / 2)] : [];
    const without = value.slice(0, 20).map((_, index) => value.filter((__, other) => other !== index));
    const within = value
      .slice(0, 20)
      .flatMap((item, index) => smallerValues(item).map((smaller) => value.with(index, smaller)));
    return [...half, ...without, ...within];
  }
  if (typeof value === 'string') {
    const characters = Array.from(value);
    const shorter = [0, 1, Math.floor(characters.length / 2)].map((end) => characters.slice(0, end).join(''));
    return shorter.filter((text) => text.length < value.length);
  }
  if (!(value instanceof NumberLiteral)) return [];
  return ['0', '1'].filter((text) => text.length < value.text.length).map((text) => new NumberLiteral(text));
}
