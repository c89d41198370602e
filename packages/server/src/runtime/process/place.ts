import { hkdfSync, randomBytes } from 'node:crypto';

/** The variable by which the primary tells each worker what it is. */
const VARIABLE = 'SERVER_WORKER';
const FORM = /^(?<number>\d+):(?<secret>[\w-]+)(?<first>:first)?$/;

/** Which of the workers a process is. */
export interface Place {
  /** From 1 on. */
  readonly number: number;
  /** All workers of a machine have the same. */
  readonly secret: string;
  /** Nobody listens on its port yet. */
  readonly first: boolean;
}

/** The place of the worker whose environment this is; undefined if it is that of no worker. */
export function placeIn(environment: NodeJS.ProcessEnv): Place | undefined {
  const { number, secret = '', first } = FORM.exec(environment[VARIABLE] ?? '')?.groups ?? {};
  return number === undefined ? undefined : { number: Number(number), secret, first: first !== undefined };
}

export const environmentOf = ({ number, secret, first }: Place): NodeJS.ProcessEnv => ({
  [VARIABLE]: `${number}:${secret}${first ? ':first' : ''}`,
});

/** The part of a number that a worker has: the parts of all together are the number. */
export const partOf = (whole: number, workers: number, { number }: Place): number =>
  Math.floor(whole / workers) + (number <= whole % workers ? 1 : 0);

/** Random bytes. Workers get the same for the same name, so that each accepts the secrets that another has made up. */
export function madeUp(place: Place | undefined, name: string, bytes: number): Buffer {
  return place ? Buffer.from(hkdfSync('sha256', place.secret, '', name, bytes)) : randomBytes(bytes);
}
