/**
 * The rules by which the prover judges, each with its source.
 *
 * The profile `document` contains what the document and the standards state, and suits any server. The profile `strict`
 * adds what this project decides beyond them.
 */
export type Profile = 'document' | 'strict';

/** How the prover reports that a server breaks a rule. It does not test a rule that is `ignored`. */
type Level = 'failure' | 'warning' | 'ignored';

/** The levels of a rule by profile; `strict` is a failure unless it says otherwise. */
interface Rule {
  /** The section that states the rule. For a warning: the section that recommends it, or leaves it undecided. */
  readonly source: string;
  readonly document: Level;
  readonly strict?: Level;
}

const OPENAPI = 'OpenAPI 3.1.0 section';
const JSON_SCHEMA = 'JSON Schema 2020-12 validation section';
const DECIDED = 'decided by this project, not by a standard';

const failure = (source: string): Rule => ({ source, document: 'failure' });
const warning = (source: string): Rule => ({ source, document: 'warning' });
const decided = (source = DECIDED): Rule => ({ source, document: 'ignored' });

const RULES = {
  // Any answer
  response: failure('RFC 9110 section 3.4: a server responds to each request'),
  'no server error': failure('RFC 9110 section 15.6: 5xx means that the server has erred'),
  'no stack trace': warning('CWE-209'),
  'documented success': failure(`${OPENAPI} 4.8.16: the document covers a successful response`),
  'documented error': warning(`${OPENAPI} 4.8.16: the document covers any known errors`),
  'response media type': failure(`${OPENAPI} 4.8.17, content`),
  'response body': failure(`${OPENAPI} 4.8.14, schema`),
  'response annotations': warning(`${JSON_SCHEMA} 7.2.1 and 9.4: format and writeOnly are annotations`),
  'response header': failure(`${OPENAPI} 4.8.21`),
  'response header of HEAD': decided('RFC 9110 section 9.3.2: a response to HEAD may omit headers'),
  'stream item': failure('OpenAPI 3.2.0, Media Type Object, itemSchema'),
  'stream format': warning('HTML section 9.2.6, RFC 7464 section 2: what a client drops or ignores'),
  'event data': warning(
    'OpenAPI 3.2.0, Server-Sent Events: data is a string, which contentSchema may describe',
  ),
  'broken stream': failure('RFC 9112 section 8: a message without its end is incomplete'),
  'stream without an item schema': warning('OpenAPI 3.2.0, Media Type Object, itemSchema'),
  'response without content': warning(`${OPENAPI} 4.8.17 documents no content`),
  'JSON encoding': failure('RFC 8259 sections 2 and 8.1'),
  'unlisted response property': decided(),

  'stored value': warning('RFC 9110 sections 9.3.3 and 9.3.4: what a request has stored is what is read'),

  'idempotency keys': warning(
    'draft-ietf-httpapi-idempotency-key-header-07 sections 2.6 and 2.7: the operation documents 409 and 422',
  ),

  // Representations
  'streamed items': failure('OpenAPI 3.2.0, Media Type Object, itemSchema'),
  ranges: failure('RFC 9110 section 14'),
  'ignored range': warning('RFC 9110 section 14.2: a server may ignore Range'),
  'range of HEAD': warning('RFC 9110 section 14.2: only GET has ranges'),
  'conditional requests': failure('RFC 9110 sections 13.1.2 and 13.2.2'),
  'modified since': warning('RFC 9110 section 13.1.3: a server should answer 304'),
  preconditions: warning('RFC 9110 section 13.1.1: the operation documents 412'),
  'headers of 206 and 304': failure('RFC 9110 sections 15.3.7 and 15.4.5'),
  'content codings': failure('RFC 9110 sections 8.4 and 8.8.3.3'),
  'unasked coding': warning('RFC 9110 section 12.5.3: what is not listed should not be applied'),
  'codings that vary': {
    ...warning('RFC 9110 section 12.5.5: Vary names what chose the coding'),
    strict: 'failure',
  },
  'length of HEAD': failure('RFC 9110 section 8.6'),
  'headers of HEAD': warning('RFC 9110 section 9.3.2: as those of GET'),
  'coded events': decided('decided by this project: a coding holds events back'),
  'validators that are stored': decided('RFC 9111 section 5.2.2.5: what is not stored is not validated'),

  // Values
  'valid request': failure(`${OPENAPI} 4.8.10: the request fits its parameters and its body`),
  'limited value': warning('RFC 8259 sections 6 and 9: a receiver may limit numbers and strings'),
  'empty parameter': warning(`${OPENAPI} 4.8.12.1, allowEmptyValue: a server may read it as no parameter`),
  'content without semantics': warning('RFC 9110 section 9.3: content of this method has no semantics'),
  'invalid request': failure(`${OPENAPI} 4.8.24: the value violates its schema`),
  'invalid format': warning(`${JSON_SCHEMA} 7.2.1: format is an annotation unless the server asserts it`),
  'excess precision': warning('RFC 8259 section 6: a parser may limit the precision of numbers'),
  'readOnly in a request': decided(`${JSON_SCHEMA} 9.4 lets a server ignore it or refuse it`),
  'missing parameter': failure(`${OPENAPI} 4.8.12.1, required`),
  'unlisted query parameter': decided(),

  // Bodies
  'arbitrary content': warning('RFC 9110 section 8.3: a media type has a format, which a server may check'),
  'body limit': failure('RFC 9110 section 15.5.14, with the limit that the run was given'),
  'absent body': failure(`${OPENAPI} 4.8.13, required`),
  'empty text': decided('RFC 9110 section 6.4: content may be empty'),
  'malformed JSON': failure('RFC 8259 section 2'),
  'extended JSON': warning('RFC 8259 section 9: a parser may accept extensions'),
  'ambiguous JSON': decided('RFC 8259 sections 4, 8.2 and 9 leave it to the parser'),
  'unusual JSON': failure('RFC 8259 sections 2 and 7'),
  'arriving body': failure('RFC 9112 sections 7.1 and 8: a body has any chunks, and may end early'),
  'malformed multipart': failure('RFC 2046 section 5.1.1'),
  'unusual multipart': failure('RFC 2046 section 5.1.1 and RFC 7578 section 4'),
  'transport padding': warning('RFC 2046 section 5.1.1: white space may follow a boundary'),
  'part without a name': warning('RFC 7578 section 4.2: each part has a Content-Disposition with a name'),
  'file name on a text': warning('RFC 7578 section 4.2: a file name does not make a file of a field'),
  'repeated part': warning('RFC 7578 section 5.2: parts of one name are not coalesced'),
  'part media types': failure(`${OPENAPI} 4.8.15, contentType`),
  'part headers': failure(`${OPENAPI} 4.8.15, headers`),
  'malformed items': failure('RFC 8259 section 2, of each item'),
  'unusual items': failure('RFC 8259 section 2; RFC 7464 section 2; jsonlines.org'),
  'unsupported media types': warning('RFC 9110 section 15.5.16'),
  'equivalent media types': failure('RFC 9110 section 8.3.1, RFC 8259 section 11'),
  'content negotiation': failure('RFC 9110 section 12.5.1'),
  'chosen media type': warning('RFC 9110 section 12.5.1: a server may disregard Accept, or answer 406'),

  // Methods and paths
  'undocumented methods': warning('RFC 9110 section 9.1: a server should respond 405 or 501'),
  Allow: failure('RFC 9110 section 15.5.6'),
  // `near-miss paths` contains it.
  'unknown path': { ...warning('RFC 9110 section 15.5.5'), strict: 'ignored' },
  'near-miss paths': decided(),
  'HEAD of GET': warning('RFC 9110 section 9.1'),

  // Credentials
  'accepted credentials': failure(`${OPENAPI} 4.8.30; RFC 9110 section 11.1: schemes are case-insensitive`),
  'missing credentials': failure(`${OPENAPI} 4.8.30`),
  'wrong credentials': failure(`${OPENAPI} 4.8.30`),
  'insufficient scope': failure(`${OPENAPI} 4.8.30`),
  'refused credentials': warning('RFC 6750 section 3.1: also where a request needs none, a bad token is 401'),
  'malformed credentials': warning('RFC 9110 section 2.4: a recipient may recover from an invalid construct'),
  'doubled credentials': warning('RFC 9110 section 5.3 leaves it to the recipient'),
  'misplaced credentials': warning('RFC 6750 section 2: a server may support other places'),
  'refusal before the body': decided(),
  challenge: failure('RFC 9110 section 15.5.2'),
  'challenges of the operation': warning('RFC 9110 section 11.6.1'),
  'challenge error code': warning('RFC 6750 section 3.1'),

  // The service under test
  'status of a refusal': warning('RFC 9110 section 15.5'),
  'body of a refusal': decided(),
  'own refusal': failure('the target'),
  'entered service': failure('the target'),
  'received input': failure('the target'),
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

/** How a profile reports that a server breaks a rule. */
export function levelOf(profile: Profile, name: RuleName): Level {
  const rule: Rule = RULES[name];
  return profile === 'document' ? rule.document : (rule.strict ?? 'failure');
}

/** A broken rule, and the sentence that describes it. */
export interface Finding {
  readonly rule: RuleName;
  readonly message: string;
}

/** The sentences of the findings on one level, each with its source: `expected E, got G (rule: source)`. */
export const messagesOf = (profile: Profile, level: Level, findings: readonly Finding[]): string[] =>
  findings
    .filter(({ rule }) => levelOf(profile, rule) === level)
    .map(({ rule, message }) => `${message} (rule: ${RULES[rule].source})`);

/** A sentence without its source. */
export const withoutSource = (sentence: string): string => sentence.replace(/ \(rule: [^()]*\)$/, '');
