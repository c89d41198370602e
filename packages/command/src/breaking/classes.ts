/** Classes of changes: one sentence at many places, as a pointer with `*` for each step in which they differ. */
import { type Change, changeText } from './changes';

/** Changes that one line stands for. */
export interface ChangeClass {
  /** As `make breaking` prints it, without what stands before the pointer. */
  readonly text: string;
  readonly breaking: boolean;
  readonly changes: readonly Change[];
}

/** The fewest changes that one line stands for. */
const FEWEST = 3;

/** The operation that a message begins with, such as `GET /things: `. */
const OPERATION = /^[A-Z]+ \/.*?: /;
const ANY = '*: ';

const stepsOf = (pointer: string): string[] => pointer.split('/').slice(1);

/** The changes in their order, those of one class as one. */
export function classesOf(changes: readonly Change[]): ChangeClass[] {
  const groups = Map.groupBy(changes, ({ pointer, message, breaking }) => {
    const steps = stepsOf(pointer);
    return JSON.stringify([breaking, message.replace(OPERATION, ANY), steps.length, steps[0]]);
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || group.length < FEWEST)
      return group.map((change) => ({
        text: changeText(change),
        breaking: change.breaking,
        changes: [change],
      }));
    const all = group.map(({ pointer }) => stepsOf(pointer));
    const steps = stepsOf(first.pointer).map((step, i) => (all.every((one) => one[i] === step) ? step : '*'));
    const message = group.every((one) => one.message === first.message)
      ? first.message
      : first.message.replace(OPERATION, ANY);
    const pointer = steps.map((step) => `/${step}`).join('');
    return [{ text: changeText({ ...first, pointer, message }), breaking: first.breaking, changes: group }];
  });
}

/** A class as one line of text. */
export const classLine = ({ text, breaking, changes }: ChangeClass): string =>
  `${breaking ? 'breaking' : '        '}  ${text}${changes.length > 1 ? ` (${changes.length} places)` : ''}`;

/** Whether a text names a class instead of one change. */
export const isClass = (text: string): boolean =>
  text.split(': ', 1)[0]?.split('/').includes('*') === true || text.includes(`: ${ANY}`);

/** Whether a change is the one, or of the class, that a text names. The sentence is the same, and `*` is one step. */
export function isOf(text: string, change: Change): boolean {
  if (text === changeText(change)) return true;
  if (!isClass(text)) return false;
  const steps = stepsOf(change.pointer);
  const messages = [change.message, change.message.replace(OPERATION, ANY)];
  const pattern = messages.flatMap((message) =>
    text.endsWith(`: ${message}`) ? [text.slice(1, -message.length - 2)] : [],
  );
  return pattern.some((pointer) => {
    const wanted = stepsOf(pointer);
    return wanted.length === steps.length && wanted.every((step, i) => step === '*' || step === steps[i]);
  });
}
