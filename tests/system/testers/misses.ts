/** Why the engine does not catch mutants from outside, in the profile `document`. */
interface Reason {
  /** `mutant`, or `document mutant`. */
  readonly mutants: RegExp;
  readonly reason: string;
}

const one = (...names: string[]): RegExp => new RegExp(`^(?:${names.join('|')})$`);

const REASONS: readonly Reason[] = [
  {
    mutants:
      /unlisted properties are passed on|defaults? (?:of parameters are|is) not|without (?:default|type: string|format: (?:double|float|binary))$/,
    reason: 'Only the handler sees it: the answer is the same. The white box sees the input of the handler',
  },
  {
    mutants: one('the stack is sent', '500 for a store that is away', 'Retry-After is missing'),
    reason: 'No request causes a 500 or a 503. The white box starts a server that fails',
  },
  {
    mutants: one(
      'ids are rounded to doubles',
      'a taken id is overwritten',
      'a retry is a conflict',
      'a plant is its id and name',
      'the plant is stored, then the token refused',
    ),
    reason:
      'It breaks the meaning of the service, which its document does not state, and no operation shows what is stored. The white box has scenarios',
  },
  {
    mutants: one('no body is too large', 'bodies may be a byte too large', 'the largest body is refused'),
    reason: 'The document does not state the limit. The option --body-limit does',
  },
  {
    mutants: one(
      'a slash at the end is forgiven',
      'letter case is forgiven',
      'paths are decoded',
      'slashes are merged',
      'dots are resolved',
      'every 400 has the same number',
      'success shows the id',
      'the body is read before the token',
      'lone surrogates are replaced',
      '__proto__ is dropped in silence',
      'a byte order mark is skipped',
      'bodies go through JSON.parse',
    ),
    reason: 'This project decides it, and the standards leave it to the server: the profile strict',
  },
  {
    mutants: one(
      'a long name is refused',
      'U\\+0000 is refused',
      'int64 is not checked',
      'int64 is judged on doubles',
      'trailing commas are forgiven',
      'invalid UTF-8 is replaced',
      'any media type is taken for JSON',
      'every media type that ends in json is JSON',
      'charsets are ignored',
      'content codings are ignored',
      'the token is taken from the query',
      'the token is taken from a cookie',
      'of two tokens the first counts',
      'an empty token is accepted',
      'the challenge names another scheme',
      'the challenge does not say invalid_token',
      'a refused token is answered 403',
      'Allow names too much',
      '404 stands for 405',
      '400 stands for 404',
      'HEAD is answered as if it were there',
      'OPTIONS is answered 204',
      'any method creates',
      'invalid requests are 422',
    ),
    reason: 'A warning, and no failure: the standards recommend it, or let a server do otherwise',
  },
];

/** Why a mutant is missed. */
export const reasonFor = (group: string, name: string): { readonly reason: string } => ({
  reason:
    REASONS.find(({ mutants }) => mutants.test(group === 'the service' ? name : `${group} ${name}`))
      ?.reason ?? 'Not explained',
});
