import type { Subject } from './adversary';
import { jsonSubjects } from './json';
import { keywordSubjects } from './keywords';
import { plantSubjects } from './plants';
import { stringSubjects } from './strings';
import { wireSubjects } from './wire';

/** All there is to try: every reader of the contract core, and every keyword of a schema. */
export const subjects = (): Subject[] => [
  ...plantSubjects(),
  ...jsonSubjects(),
  ...wireSubjects(),
  ...keywordSubjects(),
  ...stringSubjects(),
];
