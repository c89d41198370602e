import { hash as digest, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { RememberedSecrets, Problem } from '../../contract';

/** The cost of scrypt (RFC 7914 section 2): N = 2 ** ln, r, p. Its time is in proportion to N * r * p. */
interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface Hash extends Cost {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** One of the costs that the OWASP Password Storage Cheat Sheet recommends: 32 MiB. Raise it: each hash has its own. */
const COST: Cost = { ln: 15, r: 8, p: 3 };
/** Bytes. */
const SALT = 16;
const KEY = 32;

/** The most that a stored hash can ask for: bytes (130 MiB: ln=17,r=8,p=1 is within it), and N * r * p. */
const MAX_MEMORY = 130 * 2 ** 20;
const MAX_WORK = 2 ** 22;

/** Calls of scrypt at once. Each takes a thread of the four that Node has, which files and names of hosts need too. */
const AT_ONCE = 2;
/** Calls that wait. More would wait for longer than clients do. */
const MAX_WAITING = 64;

/** UTF-16 code units. The time of a normalization is quadratic in the combining marks of a row. */
const MAX_NORMALIZED = 1024;

/**
 * Hashes a password by scrypt, in the form `$scrypt$ln=15,r=8,p=3$SALT$KEY` of passlib, which other programs verify too. Two
 * hashes of one password differ. Every password has a hash, the empty one too: how long one must be is for the document to
 * say. A password is its characters: it is normalized (NFC, as in RFC 8265 section 4.2.2), since keyboards write `é` in two
 * ways, unless it has more than 1,024 UTF-16 code units.
 *
 * @throws {Problem} `unavailable` if 64 others wait already
 * @throws {TypeError} if the password has half of a surrogate pair
 */
export async function hashPassword(password: string): Promise<string> {
  const hash = { ...COST, salt: randomBytes(SALT), key: Buffer.alloc(KEY) };
  const key = await derive(password, hash);
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${base64(hash.salt)}$${base64(key)}`;
}

/** Of no password. */
const UNKNOWN: Hash = { ...COST, salt: randomBytes(SALT), key: randomBytes(KEY) };

/**
 * Whether a password is that of a hash. Without a hash it is false and takes the same time, so that nobody learns from it
 * which users exist. A password that this process has accepted for the hash before waits for no other, so that a flood of wrong
 * passwords keeps out nobody who has logged in.
 *
 * @param hash as `hashPassword` returned it, maybe with another cost; undefined: there is no such user
 * @throws {Problem} `unavailable` if 64 others wait already
 * @throws {TypeError} if the password has half of a surrogate pair
 * @throws {Error} if the text is no hash, or one that asks for more than 130 MiB or 2 ** 22 blocks
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const expected = hash === undefined ? UNKNOWN : parse(hash);
  const pair = pairOf(password, expected);
  const isKnown = accepted.has(pair);
  if (hash !== undefined && isKnown) return true;
  const key = await derive(password, expected);
  const isRight = timingSafeEqual(key, expected.key) && hash !== undefined;
  if (isRight) accepted.add(pair);
  return isRight;
}

const accepted = new RememberedSecrets();

/** A password together with its hash: whoever changes the password has another pair, which is verified by its own hash. */
const pairOf = (password: string, { ln, r, p, salt, key }: Hash): string =>
  `${ln} ${r} ${p} ${base64(salt)} ${base64(key)} ${base64(bytesOf(password))}`;

const FORM =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,6}),p=([1-9]\d{0,6})\$([A-Za-z\d+/]{1,86})\$([A-Za-z\d+/]{22,86})$/;

/** @throws {Error} The message has nothing of the text: it is a secret. */
function parse(text: string): Hash {
  const [, ln, r, p, salt = '', key = ''] = FORM.exec(text) ?? [];
  const hash = { ln: Number(ln), r: Number(r), p: Number(p), salt: bytes(salt), key: bytes(key) };
  if (ln === undefined || base64(hash.salt) !== salt || base64(hash.key) !== key)
    throw new Error('the hash of a password: expected $scrypt$ln=15,r=8,p=3$SALT$KEY, got another text');
  // RFC 7914 section 6: N < 2 ** (128 * r / 8).
  if (memoryOf(hash) > MAX_MEMORY || 2 ** hash.ln * hash.r * hash.p > MAX_WORK || hash.ln >= 16 * hash.r)
    throw new Error(
      `the hash of a password: expected a cost of at most ${MAX_MEMORY} bytes and ${MAX_WORK} blocks, got ln=${ln},r=${r},p=${p}`,
    );
  return hash;
}

/** Bytes. */
const memoryOf = ({ ln, r, p }: Cost): number => 128 * r * (2 ** ln + p + 2);
const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
const base64 = (given: Buffer): string => given.toString('base64').replaceAll('=', '');

/** @throws {TypeError} if the password has half of a surrogate pair: as UTF-8 it would equal others */
function bytesOf(password: string): Buffer {
  if (!password.isWellFormed())
    throw new TypeError('expected a password of Unicode characters, got one with half of a surrogate pair');
  const text = Buffer.from(password.length > MAX_NORMALIZED ? password : password.normalize('NFC'));
  // HMAC, the first step of scrypt, pads its key with zeros (RFC 2104 section 2): otherwise `a` and `a\0` had one hash.
  return text.includes(0) ? digest('sha512', text, 'buffer') : text;
}

/** Derives the key of a password: as many bytes as that of the hash has. */
function derive(password: string, { ln, r, p, salt, key }: Hash): Promise<Buffer> {
  const secret = bytesOf(password);
  const maxmem = memoryOf({ ln, r, p });
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        scrypt(secret, salt, key.length, { N: 2 ** ln, r, p, maxmem }, (error, derived) => {
          if (error) reject(error);
          else resolve(derived);
        });
      }),
  );
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < AT_ONCE) running++;
  else if (waiting.length === MAX_WAITING) {
    const message = `${MAX_WAITING} passwords are already waiting to be hashed: try again later`;
    throw new Problem('unavailable', message, { 'Retry-After': '1' });
  } else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift(); // takes the place
    if (next) next();
    else running--;
  }
}
