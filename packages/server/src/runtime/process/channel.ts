import type { Worker } from 'node:cluster';
import { inTime } from '../observe/probes';

/** What the primary asks a worker about itself, and a worker the primary about all workers. */
export type Question = 'live' | 'ready' | 'metrics';
export type Answers = Readonly<Record<Question, () => Promise<unknown>>>;

/** What a process tells another. */
export type Notice =
  | { readonly kind: 'started'; readonly address: string; readonly invitation: string | undefined }
  | { readonly kind: 'drain' | 'stop' | 'closed' };

interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  readonly value?: unknown;
  readonly refused?: string;
}
type Message =
  Notice | Answer | { readonly kind: 'question'; readonly id: number; readonly question: Question };

/** Milliseconds in which the other process answers: less than those of a probe. */
const TIMEOUT = 3_000;

/** Other messages on the same channel are those of the rate limiter. */
const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'kind' in message;

/**
 * The channel between the primary and a worker.
 *
 * @param worker as either of them has it
 * @param answers an error that they reject with is that of the other process, with its message
 * @param name begins the message about an answer that does not come
 */
export function openChannel(worker: Worker, answers: Answers, name: string, heard: (notice: Notice) => void) {
  const asked = new Map<Question, Promise<unknown>>();
  const settled = new Map<number, (answer: Answer) => void>();
  let last = 0;
  // The other process may have ended: that is noticed elsewhere.
  const tell = (message: Message): void => {
    if (worker.isConnected()) worker.send(message, () => undefined);
  };

  const left = () => {
    for (const [id, settle] of settled) settle({ kind: 'answer', id, refused: 'it has ended' });
  };

  async function ask(question: Question): Promise<unknown> {
    const id = ++last;
    const answered = new Promise<Answer>((resolve) => settled.set(id, resolve));
    if (worker.isConnected()) tell({ kind: 'question', question, id });
    else left();
    try {
      const { value, refused } = await inTime(answered, name, TIMEOUT);
      if (refused !== undefined) throw new Error(refused);
      return value;
    } finally {
      settled.delete(id);
      asked.delete(question);
    }
  }

  worker.on('error', () => undefined); // of a message that could not be sent
  worker.on('disconnect', left);
  worker.on('message', (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.kind === 'answer') settled.get(message.id)?.(message);
    else if (message.kind === 'question') {
      const { id } = message;
      answers[message.question]().then(
        (value) => {
          tell({ kind: 'answer', id, value });
        },
        (error: unknown) => {
          tell({ kind: 'answer', id, refused: error instanceof Error ? error.message : String(error) });
        },
      );
    } else heard(message);
  });
  return {
    tell: (notice: Notice) => {
      tell(notice);
    },
    /** One question of a kind is under way at a time: all who ask meanwhile share the answer. */
    ask(question: Question): Promise<unknown> {
      const asking = asked.get(question) ?? ask(question);
      asked.set(question, asking);
      return asking;
    },
  };
}
