import { DOCUMENTS, readFiles, serviceOf } from '../testing/document-server';
import { service } from '../../tests/contract/service';
import { asObject, type Family, objectAt, type Oracle, type Target } from 'contract-first-prover';
import { bodies } from './bodies';
import { documentMutants } from './documents';
import { oracles } from './oracles';
import { responses } from './responses';
import { routes } from './routes';
import { storedMutants } from './stored';
import { media } from '../../packages/prover/tests/support/media';
import { FAULTS } from '../../packages/prover/tests/support/media-faults';
import { notes } from '../../packages/prover/tests/support/notes';
import { security } from './security';
import { unseen } from './unseen';
import { requests } from './values';
import { deletions, EQUIVALENT } from './keywords';

/** A suite that must fail, and where. */
export interface Trial {
  readonly name: string;
  /** The families of cases one of which must fail; empty where any may. */
  readonly families: readonly Family[];
  readonly target: Target;
  readonly oracle?: Oracle;
  /** Why nothing can catch it; then nothing may. */
  readonly equivalent?: string | undefined;
}

/** A server that must pass, and those made from it by one fault each. */
export interface Group {
  readonly name: string;
  readonly sound: Target;
  readonly mutants: readonly Trial[];
}

/** The service of this repository, each of its parts broken in turn. */
function serviceGroup(): Promise<Group> {
  const made = [...requests, ...bodies, ...security, ...routes, ...responses, ...unseen];
  const mutants = [
    ...made.map(({ parts, ...mutant }) => ({ ...mutant, target: service(parts) })),
    ...oracles.map((mutant) => ({ ...mutant, target: service() })),
    ...['400', '401', '406', '413', '415'].map((status) => ({
      name: `answers ${status}, which its document lacks`,
      families: [],
      target: withoutStatus(service(), status),
    })),
  ];
  return Promise.resolve({ name: 'the service', sound: service(), mutants });
}

/** A target whose document lacks a response of each operation. */
function withoutStatus(target: Target, status: string): Target {
  const document = structuredClone(target.document);
  for (const item of Object.values(objectAt(document, '/paths')))
    for (const operation of Object.values(asObject(item)))
      Reflect.deleteProperty(asObject(asObject(operation)['responses']), status);
  return { ...target, document };
}

/** A document of the tests: its service given the document without one of its keywords, or broken otherwise. */
async function documentGroup(name: string): Promise<Group> {
  const json = await readFiles(name);
  const keywords = deletions(json);
  const unknown = Object.keys(EQUIVALENT).find(
    (key) => key.startsWith(`${name} `) && !keywords.some(({ keyword }) => key === `${name} ${keyword}`),
  );
  if (unknown !== undefined) throw new Error(`EQUIVALENT lists a mutant that is not there: ${unknown}`);
  const deleted = keywords.map(({ keyword, document }): Trial => {
    const equivalent = EQUIVALENT[`${name} ${keyword}`];
    return {
      name: `without ${keyword}`,
      families: [],
      target: serviceOf(json, { served: document }),
      equivalent,
    };
  });
  const broken = documentMutants(name, json).map(({ parts, ...mutant }) => ({
    ...mutant,
    target: serviceOf(json, parts),
  }));
  return { name, sound: serviceOf(json), mutants: [...deleted, ...broken] };
}

/** A server of streams and files. */
const mediaGroup: Group = {
  name: 'streams and files',
  sound: media(),
  mutants: FAULTS.map(({ name, family, change }) => ({ name, families: [family], target: media(change) })),
};

/** Every group, by its name. */
export const GROUPS: readonly (readonly [name: string, make: () => Promise<Group>])[] = [
  ['the service', serviceGroup],
  ['notes', () => Promise.resolve({ name: 'notes', sound: notes(), mutants: storedMutants })],
  ['streams and files', () => Promise.resolve(mediaGroup)],
  ...DOCUMENTS.map((document) => [document, () => documentGroup(document)] as const),
];
