import type { IncomingMessage } from 'node:http';
import { answer, body, type Fault, mutants, request, TOKEN } from './parts';

/** Lets a request in whose token passes. */
const tokens = (passes: (token: string, incoming: IncomingMessage) => boolean): Fault =>
  request((incoming) => {
    const [, token] = /^bearer *(.*)$/i.exec(incoming.headers.authorization ?? '') ?? [];
    if (token === undefined || !passes(token, incoming)) return;
    const value = `Bearer ${TOKEN}`;
    incoming.headers.authorization = value;
    const at = incoming.rawHeaders.findIndex((name, i) => i % 2 === 0 && /^authorization$/i.test(name));
    incoming.rawHeaders[at + 1] = value;
  });

/** A token that was accepted once opens the server to all others. */
function openedByOne(): Fault {
  let opened = false;
  return tokens((token) => (opened ||= token === TOKEN));
}

const failed = '{"error":50000,"message":"failed"}';

/** Fails with 500 at such bodies. */
export function failsAt(isFatal: (body: string) => boolean): Fault {
  return {
    wrap: (application) => (incoming, response) => {
      let fails = false;
      const seen = body((text) => {
        fails = isFatal(text);
        return text;
      });
      const late = answer((given) => {
        if (fails && given.status !== 401) Object.assign(given, { status: 500, body: failed });
      });
      seen.wrap(late.wrap(application))(incoming, response);
    },
  };
}

/**
 * Ten faults that were written without a look at what the prover sends: verdicts that fail open, and keywords of the
 * document that lose their meaning.
 */
export const unseen = mutants({
  security: {
    'the letter case of a token is ignored': tokens((token) => token.toLowerCase() === TOKEN.toLowerCase()),
    'the first half of a token is enough': tokens(
      (token) => token.length >= TOKEN.length / 2 && TOKEN.startsWith(token),
    ),
    'an empty token is accepted': tokens((token) => token === ''),
    'one accepted token opens the server to all': openedByOne(),
  },
  constraints: {
    'the body null is a failure of the server': failsAt((text) => text === 'null'),
    'an id beyond int64 is a failure of the server': failsAt((text) => {
      const [, id] = /"id": *(-?\d+)/.exec(text) ?? [];
      return id !== undefined && BigInt.asIntN(64, BigInt(id)) !== BigInt(id);
    }),
    'int64 is judged on doubles': body((text) => text.replace('9223372036854775808', '9223372036854775807')),
    'answers are put together without escaping': answer((given) => {
      if (given.status !== 200) return;
      const { name, tag } = JSON.parse(given.body) as { name: string; tag?: string };
      const members = Object.entries({ name, tag }).flatMap(([key, value]) =>
        value === undefined ? [] : [`"${key}":"${value}"`],
      );
      given.body = `{${members.join()}}`;
    }),
  },
  valid: {
    'a property constructor is a failure of the server': failsAt((text) => text.includes('"constructor"')),
  },
  'media types': {
    'every media type that ends in json is JSON': request(({ headers }) => {
      if ((headers['content-type'] ?? '').endsWith('+json')) headers['content-type'] = 'application/json';
    }),
  },
});
