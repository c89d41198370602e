import { constants } from 'node:buffer';
import { joinPointer } from '../document/document';
import type { IncomingBody } from '../http/body';
import { append, EMPTY } from '../http/buffers';
import type { MediaType } from '../http/media-type';
import { Spool } from '../http/spool';
import { excerpt } from '../json/excerpt';
import { MalformedParameter } from '../parameters/parameters';
import { Problem } from '../problem';
import { MultipartSplitter, type Piece } from './multipart-splitter';
import { parseHead, type PartHead } from './multipart-head';
import { faultOf, type PartRule, textOf } from './multipart-part';

/** The maximum size of a text, in bytes: it is a string even if each of them is percent-encoded. */
const MAX_TEXT = Math.floor(constants.MAX_STRING_LENGTH / 3);

/** Where a part of a body goes. */
export interface Target {
  /** Its name, or its index. */
  readonly name: string;
  readonly fileName: string;
  readonly rule: PartRule;
  /** Receives the file, or the text. */
  readonly done: (value: File | string) => void;
}

/** Finds where a part goes by its header fields; undefined if what it holds is left out. */
type FindTarget = (head: PartHead) => Target | undefined;

/**
 * Reads the parts of a body.
 *
 * @throws {Problem} `malformed`, `tooLarge` or `unavailable`
 * @throws {MalformedParameter} if a part is not as the document describes it
 */
export async function receiveParts(body: IncomingBody, type: MediaType, find: FindTarget): Promise<void> {
  const framing = new MultipartSplitter(type.parameters.get('boundary'));
  const reception = new Reception(body, find);
  for await (const bytes of body) {
    const before = reception.held;
    for (const piece of framing.push(bytes)) await reception.take(piece);
    body.release(bytes.length - (reception.held - before));
  }
  framing.end();
}

/** A part that is being received. */
interface Part extends Target, Pick<PartHead, 'contentType'> {
  /** Undefined for a text. */
  readonly spool: Spool | undefined;
  text: Buffer;
  size: number;
}

/** The parts of a body, as they arrive. */
class Reception {
  /** Bytes in memory. */
  held = 0;
  private part: Part | undefined;

  constructor(
    private readonly body: IncomingBody,
    private readonly find: FindTarget,
  ) {}

  take(piece: Piece): void | Promise<void> {
    const { part } = this;
    if (piece.kind === 'head') this.begin(parseHead(piece.head));
    else if (part && piece.kind === 'data') return this.write(part, piece.data);
    else if (part) return this.end(part);
  }

  private begin(head: PartHead): void {
    this.part = undefined;
    const target = this.find(head);
    if (!target) return;
    const wrong = faultOf(target.rule, head);
    if (wrong !== undefined) throw malformedPart(target.name, wrong);
    const spool = target.rule.isFile ? this.spool() : undefined;
    this.part = { ...target, contentType: head.contentType, spool, text: EMPTY, size: 0 };
  }

  private spool(): Spool {
    const { uploads } = this.body;
    if (!uploads) throw new Error('expected a service that receives uploads');
    const spool = new Spool(uploads, uploads.memory - this.held);
    this.body.whenOver(() => spool.remove());
    return spool;
  }

  /** Counts what a step holds in memory, or holds no longer. */
  private async count<T>(spool: Spool, step: () => Promise<T>): Promise<T> {
    const before = spool.inMemory;
    const result = await step();
    this.held += spool.inMemory - before;
    return result;
  }

  private async write(part: Part, data: Buffer): Promise<void> {
    const { spool } = part;
    if (spool) return this.count(spool, () => spool.write(data));
    if (part.size + data.length > MAX_TEXT)
      throw new Problem('tooLarge', `a text of the body is larger than ${MAX_TEXT} bytes`);
    part.text = append(part.text, part.size, data);
    part.size += data.length;
    this.held += data.length;
  }

  private async end({ name, fileName, contentType, spool, text, size, done }: Part): Promise<void> {
    this.part = undefined;
    const value = spool
      ? await this.count(spool, () => spool.end(fileName, contentType ?? 'text/plain'))
      : textOf(text.subarray(0, size));
    if (value === undefined) throw malformedPart(name, 'is not UTF-8');
    done(value);
  }
}

/** @param name of a part, or its index */
export const malformedPart = (name: string, message: string) =>
  new MalformedParameter(`body/${excerpt(name)} ${message}`, joinPointer('/body', name));
