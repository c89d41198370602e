import { randomUUID } from 'node:crypto';
import type { Answer } from 'contract-first-server';
import { BODY_LIMIT, listen, refusalsOf } from 'contract-first-prover/service';
import { type JsonObject, type Target } from 'contract-first-prover';
import { plainRefusal, renderPlain } from '../../../../scripts/testing/plain-errors';
import { buildService } from '../../../../scripts/testing/service';

type Note = Record<string, unknown>;

/** A store of notes, and how its server answers with one. */
export interface Parts {
  /** What is kept of a note that POST, PUT or PATCH has. */
  readonly keep: (note: Note, method: string) => Note;
  readonly show: (note: Note) => Note;
  /** At most as many notes as a client asks for. */
  readonly list: (notes: readonly Note[], limit: number) => readonly Note[];
}

const json = (schema: JsonObject) => ({ 'application/json': { schema } });
const note = { $ref: '#/components/schemas/Note' };
const takes = (name: string) => ({
  requestBody: { required: true, content: json({ $ref: `#/components/schemas/${name}` }) },
});
const refusal = { description: 'refused', content: json({ $ref: '#/components/schemas/Error' }) };
const answers = (status: number, schema: JsonObject, ...refused: number[]): JsonObject => ({
  responses: {
    [status]: { description: 'done', content: json(schema) },
    ...Object.fromEntries(['4XX', ...refused].map((other) => [other, refusal])),
  },
});
const FIRST = '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21';

const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1.0.0' },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } }],
        ...answers(200, { type: 'array', maxItems: 20, items: note }),
      },
      post: { operationId: 'addNote', ...takes('NewNote'), ...answers(201, note) },
    },
    '/notes/{id}': {
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          schema: { type: 'string', format: 'uuid' },
          example: FIRST,
        },
      ],
      get: { operationId: 'getNote', ...answers(200, note, 404) },
      put: { operationId: 'changeNote', ...takes('NewNote'), ...answers(200, note, 404) },
      patch: { operationId: 'patchNote', ...takes('NotePatch'), ...answers(200, note, 404) },
    },
  },
  components: {
    schemas: {
      Error: {
        type: 'object',
        required: ['error', 'message'],
        properties: { error: { type: 'integer', format: 'int32' }, message: { type: 'string' } },
      },
      NotePatch: {
        type: 'object',
        properties: {
          title: { type: 'string', maxLength: 100 },
          text: { type: 'string' },
          rank: { type: 'integer', format: 'int64' },
          weight: { type: 'number' },
          isOpen: { type: 'boolean' },
          color: { enum: ['red', 'green'] },
          tags: { type: 'array', maxItems: 5, uniqueItems: true, items: { type: 'string' } },
          place: {
            type: 'object',
            properties: { city: { type: 'string' }, due: { type: 'string', format: 'date' } },
          },
          password: { type: 'string', writeOnly: true },
          changed: { type: 'string', format: 'date-time', readOnly: true },
        },
      },
      NewNote: { allOf: [{ $ref: '#/components/schemas/NotePatch' }], required: ['title'] },
      Note: {
        allOf: [{ $ref: '#/components/schemas/NewNote' }],
        required: ['id'],
        properties: { id: { type: 'string', format: 'uuid' } },
      },
    },
  },
};

/** A note without its password. */
const shownOf = (kept: Note): Note =>
  Object.fromEntries(Object.entries(kept).filter(([name]) => name !== 'password'));

interface Request {
  readonly path: { readonly id: string };
  readonly query: { readonly limit?: number };
  readonly body: Note;
}

/**
 * A service that stores notes as its document says, as a target of the prover.
 *
 * @param faults break it
 */
export function notes(faults: Partial<Parts> = {}, changed: Partial<Target> = {}): Target {
  const { keep, show, list }: Parts = {
    keep: (given) => given,
    show: (kept) => kept,
    list: (all, limit) => all.slice(0, Math.min(limit, 20)),
    ...faults,
  };
  const start: Target['start'] = () => {
    let entered = 0;
    const held = new Map<string, Note>();
    const reset = (): void => {
      held.clear();
      held.set(FIRST, { id: FIRST, title: 'first' });
    };
    reset();
    const answer = (status: number, kept: Note): Answer => ({ status, body: show(shownOf(kept)) });
    const missing: Answer = { status: 404, body: { error: 40400, message: 'there is no such note' } };

    const write = (method: string, id: string, body: Note, status: number): Answer => {
      held.set(id, { ...keep(body, method), id });
      return answer(status, held.get(id) ?? {});
    };
    const on = (run: (request: Request) => Answer) => (request: unknown) => {
      entered += 1;
      return Promise.resolve(run(request as Request));
    };
    const handlers = {
      listNotes: on(({ query: { limit = 10 } }) => ({
        status: 200,
        body: list([...held.values()], limit).map(shownOf),
      })),
      addNote: on(({ body }) => write('POST', randomUUID(), body, 201)),
      getNote: on(({ path: { id } }) => (held.has(id) ? answer(200, held.get(id) ?? {}) : missing)),
      changeNote: on(({ path: { id }, body }) => (held.has(id) ? write('PUT', id, body, 200) : missing)),
      patchNote: on(({ path: { id }, body }) => {
        const known = held.get(id);
        return known ? write('PATCH', id, { ...known, ...body }, 200) : missing;
      }),
    };
    const { app } = buildService({ document: structuredClone(DOCUMENT), handlers, bodyLimit: BODY_LIMIT });
    return listen(app, { entered: () => entered, reset }, renderPlain);
  };
  return {
    document: DOCUMENT,
    start,
    credentials: {},
    bodyLimit: BODY_LIMIT,
    refusals: refusalsOf(plainRefusal),
    ownRefusals: { missing: { status: 404, operations: ['getNote', 'changeNote', 'patchNote'] } },
    scenarios: ['getNote', 'changeNote', 'patchNote'].map((operation) => ({
      title: `${operation} of a note that is not there`,
      steps: [{ operation, parameters: { id: FIRST.replace('8', '9') }, expect: 'missing' }],
    })),
    waivers: [],
    ...changed,
  };
}
