import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidConfig, Variables } from '../../src/runtime/config';
import { readSecrets, watchSecrets } from '../../src/runtime/credentials/secret-source';
import { type AcceptedSecret, BEARER_TOKENS, parseSecrets } from '../../src/runtime/credentials/secrets';
import { keepFolder } from '../../../../scripts/testing/folder';

function read(environment: NodeJS.ProcessEnv) {
  const variables = new Variables(environment);
  const source = readSecrets(variables, 'API_TOKENS', BEARER_TOKENS);
  return { source, wrong: variables.wrong };
}

const nameOf = ({ digest }: AcceptedSecret): string => digest.toString('hex');
const secretOf = (token: string): AcceptedSecret => {
  const [secret] = parseSecrets('API_TOKENS', BEARER_TOKENS, [token]);
  if (!secret) throw new Error('expected a secret');
  return secret;
};

/** The tokens of the tests, by their digests. */
const TOKENS = [
  ...['old-token', 'kept-token', 'new-token', 'new-token-2', 'another-token', 'a-token'],
  ...[0, 1, 2, 3, 4].map((i) => `token-${i}`),
];
const BY_DIGEST = new Map(TOKENS.map((token) => [nameOf(secretOf(token)), token]));
const tokensOf = (secrets: readonly AcceptedSecret[]): string[] =>
  secrets.map((secret) => BY_DIGEST.get(nameOf(secret)) ?? 'another secret');

test('several secrets are separated by commas', () => {
  expect(tokensOf(read({ API_TOKENS: ' old-token , new-token,' }).source.secrets ?? [])).toEqual([
    'old-token',
    'new-token',
  ]);
  expect(read({ API_TOKENS: ' ' }).source.secrets).toBeUndefined();
});

test('a variable and its file exclude each other', () => {
  expect(read({ API_TOKENS: 'one', API_TOKENS_FILE: __filename }).wrong[0]).toMatch(
    /^API_TOKENS and API_TOKENS_FILE are both set/,
  );
});

describe('a file of secrets', () => {
  const file = join(keepFolder(), 'tokens');
  const OLD = ['old-token', 'kept-token'];
  const NEW = ['kept-token', 'new-token', 'new-token-2'];
  const textOf = (tokens: readonly string[]) => tokens.map((token) => `${token}\n`).join('');
  const [before, after] = [textOf(OLD), textOf(NEW)];
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Watches the file. `look` makes the watcher read it so many times, and returns the changes reported since. */
  function watch(text = before, tokens = OLD) {
    jest.useFakeTimers();
    writeFileSync(file, text);
    const changes: (readonly string[] | InvalidConfig)[] = [];
    const secrets = parseSecrets('API_TOKENS_FILE', BEARER_TOKENS, tokens);
    watchSecrets({ variable: 'API_TOKENS', form: BEARER_TOKENS, file, secrets }, (change) =>
      changes.push(change instanceof InvalidConfig ? change : tokensOf(change)),
    );
    return (times: number) => {
      for (let i = 0; i < times; i++) jest.advanceTimersToNextTimer();
      return changes.splice(0);
    };
  }
  const accepted = (changes: readonly (readonly string[] | InvalidConfig)[]) =>
    changes.flatMap((change) => (change instanceof InvalidConfig ? [] : [change]));

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
      'expected at least one token',
    ],
    [
      'holds something else',
      () => {
        writeFileSync(file, 'not a token\n');
      },
      ' at position 1',
    ],
    [
      'disappears',
      () => {
        rmSync(file);
      },
      'cannot read the file',
    ],
    [
      'becomes a folder',
      () => {
        rmSync(file);
        mkdirSync(file);
      },
      'cannot read the file',
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
    expect(read({ API_TOKENS_FILE: file }).source.secrets?.map(nameOf)).toEqual([
      nameOf(secretOf('a-token')),
    ]);
    expect(watch('a-token', ['a-token'])(5)).toEqual([]);
  });

  it('that is being written at startup is refused', () => {
    writeFileSync(file, 'a-tok');
    jest.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
      writeFileSync(file, 'a-token\n');
      return 'timed-out';
    });
    expect(read({ API_TOKENS_FILE: file }).wrong).toEqual([
      'API_TOKENS_FILE: the file is still being written',
    ]);
  });
});
