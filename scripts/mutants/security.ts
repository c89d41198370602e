import { Strategy } from 'passport';
import type { Credentials } from 'contract-first-server';
import { answer, document, mutants, request, TOKEN, WRONG_TOKEN } from './parts';

/** Accepts whoever asks, as this principal. */
export class Anybody extends Strategy {
  constructor(private readonly principal = {}) {
    super();
  }

  override authenticate(): void {
    this.success(this.principal);
  }
}

/**
 * Takes for a success whatever its verifier gives but `false`: also the `undefined` of a verifier that looks a secret up
 * and finds nobody.
 */
export class FailsOpen extends Strategy {
  constructor(
    private readonly verify: (secret: string) => object | false | undefined,
    private readonly challenge?: string,
  ) {
    super();
  }

  override authenticate(credentials: object): void {
    const { headers, apiKey }: Credentials = credentials as Credentials;
    const secret = apiKey ?? headers.authorization?.split(' ')[1];
    const verdict = secret === undefined ? false : this.verify(secret);
    if (verdict === false) this.fail(this.challenge, 401);
    else this.success(verdict ?? {});
  }
}

const CLIENTS = new Map([[TOKEN, {}]]);

/** Lets a request in with a token found elsewhere. */
const tokenFrom = (
  find: (given: { url?: string | undefined; cookie?: string | undefined }) => string | undefined,
) =>
  request((incoming) => {
    const found = find({ url: incoming.url, cookie: incoming.headers.cookie });
    if (incoming.headers.authorization !== undefined || found === undefined) return;
    incoming.headers.authorization = `Bearer ${found}`;
    incoming.rawHeaders.push('Authorization', `Bearer ${found}`);
  });

export const security = mutants({
  security: {
    'nobody is asked for a token': document('', (root) => (root['security'] = [])),
    'any token is accepted': { strategies: { bearerAuth: new Anybody() } },
    'a verifier that gives undefined lets in': {
      strategies: { bearerAuth: new FailsOpen((token) => CLIENTS.get(token), 'Bearer realm="api"') },
    },
    'the token is taken from the query': tokenFrom(({ url }) => /access_token=([^&]+)/.exec(url ?? '')?.[1]),
    'the token is taken from a cookie': tokenFrom(
      ({ cookie }) => /access_token=([^;]+)/.exec(cookie ?? '')?.[1],
    ),
    'of two tokens the first counts': request(({ rawHeaders }) => {
      const second = rawHeaders.findLastIndex((name, index) => index % 2 === 0 && name === 'Authorization');
      if (second > rawHeaders.indexOf('Authorization')) rawHeaders.splice(second, 2);
    }),
    'the scheme must be written Bearer': request(({ headers }) => {
      if (headers.authorization?.startsWith('Bearer') === false) headers.authorization = 'Basic eDp5';
    }),
    'the challenge is missing': answer(({ headers }) => delete headers['WWW-Authenticate']),
    'the challenge names another scheme': answer(({ status, headers }) => {
      if (status === 401) headers['WWW-Authenticate'] = 'Basic';
    }),
    'the challenge does not say invalid_token': answer(({ status, headers }) => {
      if (status === 401) headers['WWW-Authenticate'] = 'Bearer';
    }),
    'a refused token is answered 403': answer((given) => {
      if (given.status === 401) given.status = 403;
    }),
    'the body is read before the token': {
      wrap: (application) => (incoming, response) => {
        const go = (): void => {
          setImmediate(application, incoming, response);
        };
        if (Number(incoming.headers['content-length'] ?? 0) > 0) incoming.once('readable', go);
        else go();
      },
    },
    'the plant is stored, then the token refused': {
      wrap: (application) => (incoming, response) => {
        const wrong = incoming.headers.authorization === `Bearer ${WRONG_TOKEN}`;
        if (wrong) incoming.headers.authorization = `Bearer ${TOKEN}`;
        const late = answer((given) => {
          if (!wrong) return;
          given.status = 401;
          given.headers['WWW-Authenticate'] = 'Bearer error="invalid_token"';
          given.body = '{"error":40101,"message":"refused"}';
        });
        late.wrap(application)(incoming, response);
      },
    },
  },
});
