/** What the contract-test engine cannot read in the document: what this service holds, and what it means. */
import type { PlantStore } from '../../src/plants/plant-store';
import { openMemoryStore } from '../../src/storage/memory';
import type { OwnRefusal, Scenario, Waiver } from '../engine/target';
import { refusal } from './refusals';

/** A store that holds what the examples of path parameters in the document name: here, no path has any. */
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
