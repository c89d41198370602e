import { OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { buildDocument } from '../../../../../scripts/testing/service';

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  oauth: {
    type: 'oauth2',
    flows: { implicit: { authorizationUrl: 'https://a.example', scopes: { read: '' } } },
  },
  tls: { type: 'mutualTLS' },
  digest: { type: 'http', scheme: 'digest' },
};
const SERVED = [{}, { bearer: [] }, { key: [], bearer: [] }, { oauth: ['read'] }];
/** One for each reason for which an alternative cannot be served, alone and beside a scheme that can. */
const FAULTY = [
  ...[{ tls: [] }, { digest: [] }, { none: [] }, { oauth: ['write'] }, { oauth: ['a b'] }],
  ...[
    { bearer: [], basic: [] },
    { key: [], tls: [] },
    { bearer: [], none: [] },
  ],
];

/** Reads an operation with these alternatives, once of its own and once inherited. */
function read(security: readonly object[], isOwn: boolean) {
  const document = new OpenApiDocument({
    ...buildDocument({ operation: isOwn ? { security } : {}, components: { securitySchemes } }),
    ...(!isOwn && { security }),
  });
  const [operation] = readOperations(document);
  return { document, security: operation?.security.map((one) => one.map(({ scheme }) => scheme)) };
}

describe.each([true, false])('alternatives of security (of the operation itself: %s)', (isOwn) => {
  const at = isOwn ? '/paths/~1things/post/security' : '/security';
  const places = ({ remarks }: OpenApiDocument) => remarks.map(({ pointer }) => pointer);

  it.each(SERVED.flatMap((good) => FAULTY.map((bad) => [bad, good] as const)))(
    'one that cannot be served, %j, is a remark beside %j',
    (bad, good) => {
      for (const [i, all] of [
        [bad, good],
        [good, bad],
        [bad, good, bad],
      ].entries()) {
        const { document, security } = read(all, isOwn);
        expect(document.findings).toEqual([]);
        expect(security).toEqual([Object.keys(good)]);
        expect(places(document)).toEqual([[`${at}/0`], [`${at}/1`], [`${at}/0`, `${at}/2`]][i]);
      }
    },
  );

  it.each(FAULTY.flatMap((one) => FAULTY.map((other) => [one, other] as const)))(
    'where none can be served, %j and %j, the operation is not served',
    (one, other) => {
      for (const all of [[one], [one, other]]) {
        const { document, security } = read(all, isOwn);
        expect(document.findings.length).toBeGreaterThan(0);
        expect(document.findings.every(({ operations }) => operations?.join() === 'POST /things')).toBe(true);
        expect(places(document)).toEqual([]);
        expect(security).not.toContainEqual([]); // nobody gets in without credentials
      }
    },
  );
});
