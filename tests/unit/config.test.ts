import { constants } from 'node:buffer';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, watchTokensFile } from '../../src/config';
import { InvalidConfig } from '../../src/operational';

const EXAMPLE = readFileSync(join(__dirname, '../../.env.example'), 'utf8');
const SOURCE = ['config.ts', 'operational/config.ts']
  .map((file) => readFileSync(join(__dirname, '../../src', file), 'utf8'))
  .join('');
const documented = Object.fromEntries(
  [...EXAMPLE.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

function wrongIn(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
}

test('.env.example lists every variable with its default', () => {
  const read = [...SOURCE.matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].flatMap(([, name = '']) =>
    name in documented || name.includes('_') || /^(HOST|PORT)$/.test(name) ? name : [],
  );
  expect(new Set(read)).toEqual(new Set(Object.keys(documented)));
  expect(readConfig(documented)).toEqual(readConfig({}));
});

test('an empty or blank variable counts as unset', () => {
  expect(readConfig({ PORT: '', HOST: ' ', API_TOKENS: '', CORS_ORIGINS: ' ' })).toEqual(readConfig({}));
});

test('values are converted to their types', () => {
  const config = readConfig({
    API_TOKENS: ' one , two,',
    CORS_ORIGINS: 'https://a.example.com, http://localhost:5173',
    AUTH_JWKS_URL: 'https://issuer.example.com/keys',
    AUTH_ISSUER: 'https://issuer.example.com',
    AUTH_AUDIENCE: 'this-service',
    MAX_REQUESTS: '7',
    HOST: '0.0.0.0',
    OPS_PORT: '3001',
    REQUEST_DEADLINE: '500',
    RATE_LIMIT: '100/60s',
  });
  expect(config).toMatchObject({
    tokens: ['one', 'two'],
    corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
    jwt: { issuer: 'https://issuer.example.com', audience: 'this-service' },
    maxRequests: 7,
    ops: { host: '0.0.0.0', port: 3001 },
    deadline: 500,
    rateLimit: { requests: 100, seconds: 60 },
  });
  expect(readConfig({}).rateLimit).toBeUndefined();
  expect(readConfig({}).ops).toBeUndefined();
  expect(readConfig({ OPS_PORT: '0', OPS_HOST: '::1' }).ops).toEqual({ host: '::1', port: 0 });
});

const JWT = {
  AUTH_JWKS_URL: 'https://issuer.example.com/keys',
  AUTH_ISSUER: 'https://issuer.example.com',
  AUTH_AUDIENCE: 'this-service',
};

test.each<[NodeJS.ProcessEnv, string[]]>([
  [{ MAX_REQUESTS: '0' }, ['MAX_REQUESTS: expected an integer from 1 to 1000000, got "0"']],
  ...['0/60s', '100/0s', '100/86401s', '100', '100/60', '-1/60s', '1e3/60s', '100/60s/1'].map(
    (text): [NodeJS.ProcessEnv, string[]] => [
      { RATE_LIMIT: text },
      [`RATE_LIMIT: expected requests and seconds like 100/60s, at most 86400 seconds, got "${text}"`],
    ],
  ),
  [{ KEEP_ALIVE_TIMEOUT: '5s' }, ['KEEP_ALIVE_TIMEOUT: expected an integer from 1 to 3600000, got "5s"']],
  [
    { HEADERS_TIMEOUT: '20000', REQUEST_TIMEOUT: '10000' },
    ['HEADERS_TIMEOUT: expected no more than REQUEST_TIMEOUT, got 20000'],
  ],
  [
    { CORS_ORIGINS: 'https://a.example.com/' },
    ['CORS_ORIGINS: expected origins like https://app.example.com, got "https://a.example.com/"'],
  ],
  [{ CORS_ORIGINS: '*' }, ['CORS_ORIGINS: expected origins like https://app.example.com, got "*"']],
  [
    { ...JWT, AUTH_AUDIENCE: '' },
    [
      'AUTH_AUDIENCE: expected a value, since AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE belong together, got none',
    ],
  ],
  [
    { ...JWT, AUTH_JWKS_URL: 'http://issuer.example.com/keys' },
    [
      'AUTH_JWKS_URL: expected an https:// URL (http:// on this machine only), got "http://issuer.example.com/keys"',
    ],
  ],
  [
    { ...JWT, AUTH_JWKS_URL: 'issuer' },
    ['AUTH_JWKS_URL: expected an https:// URL (http:// on this machine only), got "issuer"'],
  ],
  ...['http://localhost:x@issuer.example.com/keys', 'https://user:hunter2@issuer.example.com/keys'].map(
    (url): [NodeJS.ProcessEnv, string[]] => [
      { ...JWT, AUTH_JWKS_URL: url },
      ['AUTH_JWKS_URL: expected a URL without user and password, got one with them'],
    ],
  ),
  [
    { NODE_ENV: 'production ' },
    ['API_TOKENS or API_TOKENS_FILE: expected tokens, since NODE_ENV is production, got none'],
  ],
  [{ ...JWT, NODE_ENV: 'production' }, []],
  [{ ...JWT, AUTH_JWKS_URL: 'http://127.0.0.1:8080/keys' }, []],
])('%j: %j', (environment, sentences) => {
  expect(wrongIn(environment)).toEqual(sentences);
});

test('BODY_LIMIT is at most the maximum length of a string, because a body is read into one', () => {
  const most = constants.MAX_STRING_LENGTH;
  expect(wrongIn({ BODY_LIMIT: String(most) })).toEqual([]);
  expect(wrongIn({ BODY_LIMIT: String(most + 1) })).toEqual([
    `BODY_LIMIT: expected an integer from 1 to ${most}, got "${most + 1}"`,
  ]);
});

test('messages contain neither tokens nor passwords', () => {
  const messages = wrongIn({ API_TOKENS: 'hunter2, hunter 2', DATABASE_URL: 'mysql://root:hunter2@db' });
  expect(messages).toHaveLength(2);
  expect(messages.join()).not.toContain('hunter');
});

describe('a tokens file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const file = join(folder, 'tokens');
  const OLD = ['old-token', 'kept-token'];
  const NEW = ['kept-token', 'new-token', 'new-token-2'];
  const textOf = (tokens: readonly string[]) => tokens.map((token) => `${token}\n`).join('');
  const [before, after] = [textOf(OLD), textOf(NEW)];
  afterEach(() => {
    jest.useRealTimers();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Watches the file. `look` makes the watcher read it so many times, and returns the changes reported since. */
  function watch(text = before, tokens = OLD) {
    jest.useFakeTimers();
    writeFileSync(file, text);
    const changes: (string[] | InvalidConfig)[] = [];
    watchTokensFile(file, tokens, (change) => changes.push(change));
    return (times: number) => {
      for (let i = 0; i < times; i++) jest.advanceTimersToNextTimer();
      return changes.splice(0);
    };
  }
  const accepted = (changes: readonly (string[] | InvalidConfig)[]) =>
    changes.filter((change) => Array.isArray(change));

  it('that changes between its first read and its watch is read again', () => {
    expect(watch(after)(2)).toEqual([NEW]);
  });

  it('that is replaced by a renamed file is accepted', () => {
    const look = watch();
    writeFileSync(`${file}.new`, after);
    renameSync(`${file}.new`, file);
    expect(look(2)).toEqual([NEW]);
    expect(look(5)).toEqual([]);
  });

  it.each([1, 5])('is never accepted incomplete, if the writer pauses at any byte for %d reads', (looks) => {
    for (let length = 0; length < after.length; length++) {
      const look = watch();
      look(2);
      writeFileSync(file, after.slice(0, length));
      for (const tokens of accepted(look(looks))) {
        expect(looks).toBeGreaterThan(1);
        expect(NEW).toEqual(expect.arrayContaining(tokens));
      }
      writeFileSync(file, after);
      expect(accepted(look(3))).toEqual([NEW]);
      jest.clearAllTimers();
    }
  });

  it('is never accepted incomplete, if the writer appends and pauses at any byte', () => {
    const added = textOf([...OLD, 'another-token']);
    for (let length = before.length + 1; length < added.length; length++) {
      const look = watch();
      writeFileSync(file, added.slice(0, length));
      expect(look(5)).toEqual([expect.any(InvalidConfig)]);
      writeFileSync(file, added);
      expect(look(2)).toEqual([[...OLD, 'another-token']]);
      jest.clearAllTimers();
    }
  });

  it('that changes repeatedly is accepted only after it is stable', () => {
    const look = watch();
    for (let i = 0; i < 5; i++) {
      writeFileSync(file, textOf([`token-${i}`]));
      expect(look(1)).toEqual([]);
    }
    expect(look(1)).toEqual([['token-4']]);
  });

  it.each([
    [
      'ends without a line break',
      () => {
        writeFileSync(file, 'new-token');
      },
      'expected a line break after the last token',
    ],
    [
      'shrinks within a line',
      () => {
        truncateSync(file, before.length - 3);
      },
      'expected a line break after the last token',
    ],
    [
      'is emptied',
      () => {
        truncateSync(file, 0);
      },
      'expected at least one token, got none',
    ],
    [
      'holds something else',
      () => {
        writeFileSync(file, 'not a token\n');
      },
      'got something else at position 1',
    ],
    [
      'disappears',
      () => {
        rmSync(file);
      },
      'expected a file that can be read',
    ],
    [
      'becomes a folder',
      () => {
        rmSync(file);
        mkdirSync(file);
      },
      'expected a file that can be read',
    ],
  ])('that %s is reported once, and accepted again when it is valid', (_, change, sentence) => {
    const look = watch();
    change();
    expect(look(1)).toEqual([]);
    expect(look(5)).toEqual([
      expect.objectContaining({ message: expect.stringContaining(sentence) as string }),
    ]);
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, after);
    expect(look(2)).toEqual([NEW]);
  });

  it('that loses whole lines is accepted: those tokens are revoked', () => {
    const look = watch();
    truncateSync(file, 'old-token\n'.length);
    expect(look(2)).toEqual([['old-token']]);
  });

  it('without a final line break is accepted at startup if it is stable', () => {
    writeFileSync(file, 'a-token');
    expect(readConfig({ API_TOKENS_FILE: file }).tokens).toEqual(['a-token']);
    expect(watch('a-token', ['a-token'])(5)).toEqual([]);
  });

  it('that is being written at startup is refused', () => {
    writeFileSync(file, 'a-tok');
    jest.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
      writeFileSync(file, 'a-token\n');
      return 'timed-out';
    });
    expect(wrongIn({ API_TOKENS_FILE: file })).toEqual([
      'API_TOKENS_FILE: expected a complete file, got one that is being written',
    ]);
  });
});
