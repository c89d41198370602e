/** The knowledge that the prover cannot derive from the document: stored data, scenarios and own refusals. */
import type { PlantStore } from '../../src/plants/plant-store';
import { openMemoryStore } from '../../src/storage/memory';
import type { OwnRefusal, Scenario, Waiver } from '../../scripts/prove';
import { refusal } from './refusals';

/** A store with the objects that the examples of path parameters name. Here, no path has parameters. */
export const openExampleStore = (): Promise<PlantStore> => Promise.resolve(openMemoryStore());

export const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  conflict: { ...refusal('idTaken'), operations: [] },
};

const createPlant = (body: string, expect = 'success') => ({ operation: 'createPlant', body, expect });

export const scenarios: readonly Scenario[] = [
  {
    title: 'an id names one plant for ever',
    steps: [
      createPlant('{"id":1,"name":"Monstera","tag":"tropical"}'),
      createPlant('{"id":1,"name":"Monstera","tag":"tropical"}'),
      createPlant('{"id":1,"name":"Ficus","tag":"tropical"}', 'conflict'),
      createPlant('{"id":1,"name":"Monstera"}', 'conflict'),
      createPlant('{"id":1,"name":"Monstera","tag":"tropical"}'),
    ],
  },
  {
    title: 'ids that are one double are two plants',
    steps: [
      createPlant('{"id":9007199254740992,"name":"one"}'),
      createPlant('{"id":9007199254740993,"name":"another"}'),
      createPlant('{"id":9007199254740993.0,"name":"a third"}', 'conflict'),
    ],
  },
];

export const waivers: readonly Waiver[] = [];
