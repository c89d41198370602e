/** The knowledge that the prover cannot derive from the document: stored data, scenarios and own refusals. */
import type { operations } from '../../generated/openapi';
import { readConfig } from '../../src/config';
import { type Dependencies, openDependencies } from '../../src/dependencies';
import type { OwnRefusal, ScenarioOf, Waiver } from 'contract-first-prover';
import { refusal } from './refusals';

/** With a store that holds the objects that the examples of path parameters name. Here, no path has parameters. */
export const openExample = (): Promise<Dependencies> =>
  openDependencies(readConfig({ DATABASE_URL: 'memory:' }));

export const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  conflict: { ...refusal('idTaken'), operations: [] },
};

const createPlant = (body: string, expect = 'success') => ({
  operation: 'createPlant' as const,
  body,
  expect,
});

export const scenarios: readonly ScenarioOf<operations>[] = [
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
