import type { OpenApiDocument } from '../document/document';
import type { MediaTypeObject } from '../http/media-type';
import { negotiable, type Operation } from '../operations/operations';
import { Impossible, type Proof } from '../schema/impossible';

/** The start of the message about an operation that is rejected by proof. */
export const REJECTED = 'is rejected by proof';

/**
 * Adds a finding for each operation to which no request can conform, or none of whose documented successes can be sent. A part
 * to which nothing conforms, and which the operation can do without, is a remark.
 */
export function checkPossible(document: OpenApiDocument, operations: readonly Operation[]): void {
  const [requests, responses] = [new Impossible(document, 'request'), new Impossible(document, 'response')];
  const proofOf = (kind: Impossible, schema: string | undefined): Proof | undefined =>
    schema === undefined ? undefined : kind.proof([schema]);
  const remark = ({ pointer, message }: Proof, what: string) => {
    document.addRemark({ pointer, message: `${message}: ${what}`, keyword: 'Schema that admits nothing' });
  };
  /** The proof for all media types; a remark for each, where others are possible. */
  const ofContent = (
    kind: Impossible,
    content: readonly MediaTypeObject[],
    what: string,
  ): Proof | undefined => {
    const proofs = content.map(({ schema, items, isStream }) =>
      items === undefined && !isStream ? proofOf(kind, schema) : undefined,
    );
    if (content.length > 0 && proofs.every((proof) => proof !== undefined)) return proofs[0];
    for (const [i, proof] of proofs.entries())
      if (proof) remark(proof, `no ${what} has the type ${content[i]?.key}`);
    return undefined;
  };
  const reject = ({ pointer }: Operation, { pointer: place, message }: Proof, what: string) => {
    document.addFinding(
      pointer,
      `${REJECTED}: ${what} can conform, because the schema at #${place} ${message}`,
    );
  };

  for (const operation of operations) {
    const { requestBody, parameters } = operation;
    for (const { name, required, schemaPointer } of parameters) {
      const proof = proofOf(requests, schemaPointer);
      if (proof && required) reject(operation, proof, `no request with the parameter ${name}`);
      else if (proof) remark(proof, `requests with the parameter ${name} are rejected`);
    }
    const body = ofContent(requests, requestBody?.content ?? [], 'request body');
    if (body && requestBody?.required === true) reject(operation, body, 'no request body');
    else if (body) remark(body, 'requests with a body are rejected');

    const successes = negotiable(operation).map(({ content, headers }) => ({
      body: ofContent(responses, content, 'response'),
      header: headers.flatMap(({ required, schemaPointer }) =>
        required ? (proofOf(responses, schemaPointer) ?? []) : [],
      )[0],
    }));
    const proofs = successes.map((success) => success.body ?? success.header);
    const [first] = proofs;
    if (first && proofs.every((proof) => proof !== undefined)) reject(operation, first, 'no success');
    else for (const proof of proofs) if (proof) remark(proof, 'no response with this status can be sent');
  }
}
