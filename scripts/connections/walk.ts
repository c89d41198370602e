import { setImmediate as turn } from 'node:timers/promises';
import { randomOf } from '../program';
import { Client } from './client';
import { KIND_NAMES, makeRequest, type Sent } from './requests';

/** How a client reads. */
const READING = ['at once', 'slowly', 'late', 'never'] as const;
/** How the bytes are cut. */
const CUTS = ['not', 'at the ends of requests', 'behind heads', 'anywhere', 'at every byte'] as const;
/** What happens between two parts. */
const PAUSES = ['none', 'a turn', 'the responses'] as const;
/** How a client leaves: at the end, or in the middle of the requests. */
const ENDS = ['after the responses', 'half-closes', 'leaves', 'resets'] as const;

/** A walk through the states of a connection: open, head, body, answered, draining, upgraded, closed. */
export interface Walk {
  readonly seed: number;
  readonly kinds: readonly string[];
  readonly reading: (typeof READING)[number];
  readonly cut: (typeof CUTS)[number];
  readonly pause: (typeof PAUSES)[number];
  readonly end: (typeof ENDS)[number];
  /** The share of the bytes that are sent before the client leaves. */
  readonly share: number;
}

/** Numbers from 0 to 1, the same for the same words. */
function randoms(...words: readonly (string | number)[]): () => number {
  let drawn = 0;
  return () => randomOf(...words, drawn++);
}

export function makeWalk(seed: number): Walk {
  const random = randoms(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const kinds = Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(KIND_NAMES));
  // Every kind is the only one, and the first of several, in some walk.
  kinds[0] = KIND_NAMES[seed % KIND_NAMES.length] ?? '';
  const many = random() < 0.1; // enough large responses to fill the buffers of the kernel
  if (many) kinds.unshift(...Array.from({ length: 14 }, () => pick(['large', 'file'])));
  return {
    seed,
    kinds,
    reading: pick(READING),
    cut: many ? 'at the ends of requests' : pick(CUTS),
    pause: pick(PAUSES),
    end: pick(ENDS),
    share: pick([1, 1, random()]),
  };
}

interface Part {
  readonly bytes: string;
  /** The requests that begin in it. */
  readonly begun: readonly Sent[];
  /** A body that waits for 100 Continue. */
  readonly waits: boolean;
}

/** Cuts the requests of a walk, up to the share that is sent. */
function partsOf({ cut, share, seed }: Walk, requests: readonly Sent[]): Part[] {
  const random = randoms(seed, 'cuts');
  const total = requests.reduce((sum, { head, body }) => sum + head.length + body.length, 0);
  let left = Math.ceil(share * total);
  const parts: Part[] = [];
  for (const request of requests) {
    const pieces: [text: string, waits: boolean][] = [[request.head, false]];
    if (cut === 'behind heads' || request.waits) pieces.push([request.body, request.waits === true]);
    else pieces[0] = [request.head + request.body, false];
    let begun: readonly Sent[] = [request];
    for (const [text, waits] of pieces) {
      for (let at = 0; at < text.length && left > 0;) {
        const most =
          cut === 'at every byte' ? 1 : cut === 'anywhere' ? 1 + Math.floor(random() * 90) : text.length;
        const bytes = text.slice(at, at + Math.min(most, left));
        // A request that is cut off may be refused, which no identifier tells.
        const cutOff = begun.map((sent) => ({ ...sent, id: undefined, statuses: [...sent.statuses, 400] }));
        parts.push({ bytes, begun: share < 1 ? cutOff : begun, waits: waits && at === 0 });
        begun = [];
        at += bytes.length;
        left -= bytes.length;
      }
    }
  }
  if (cut !== 'not') return parts;
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (!last || part.waits) joined.push(part);
    else
      joined[joined.length - 1] = {
        ...last,
        bytes: last.bytes + part.bytes,
        begun: [...last.begun, ...part.begun],
      };
  }
  return joined;
}

/** Takes a walk. Resolves with what was wrong, after the connection has ended; undefined if nothing was. */
export async function take(walk: Walk, port: number): Promise<string | undefined> {
  const requests = walk.kinds.map((kind, at) =>
    makeRequest(kind, `${walk.seed}-${at}`, walk.end === 'half-closes'),
  );
  const client = new Client(port);
  const { socket } = client;
  const reads = walk.reading === 'at once' || walk.reading === 'slowly';
  const timer = walk.reading === 'slowly' ? setInterval(() => socket.pause().resume(), 1) : undefined;
  if (!reads) socket.pause();
  let continued = 0;
  const parts = partsOf(walk, requests);
  for (const part of parts) {
    const { bytes, begun, waits } = part;
    if (waits && reads) await client.until(() => client.continued > continued || client.isOver);
    if (waits && client.continued > continued) continued++;
    if (begun.length > 0 && !waits && reads && walk.pause === 'the responses')
      await client.until(() => client.isOver);
    if (client.closed || client.isEnding) break;
    client.send(bytes, begun);
    // An end that comes long after the last bytes is that of a client that has left.
    const isTogether = walk.end === 'half-closes' && part === parts.at(-1);
    if (walk.pause === 'a turn' && !isTogether) await turn();
  }
  const stays = walk.reading !== 'never' && walk.end !== 'leaves' && walk.end !== 'resets';
  if (walk.end === 'resets') socket.resetAndDestroy();
  else if (stays) {
    socket.resume();
    if (walk.end === 'half-closes') socket.end();
    if (walk.share === 1) await client.until(() => client.isOver);
  }
  const lost = stays && walk.share === 1 ? client.lost : [];
  clearInterval(timer);
  socket.destroy();
  await client.until(() => client.closed);
  if (client.fault !== undefined) return client.fault;
  return lost[0] && `${lost.length} requests have no response, the first is ${lost[0].kind}`;
}
