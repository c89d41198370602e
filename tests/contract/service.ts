import document from '../../generated/openapi.json';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import { errors } from '../../src/errors';
import { createHandlers } from '../../src/handlers';
import { type Changes, serviceTarget, type ServiceTarget } from 'contract-first-prover/service';
import { refusal } from './refusals';
import { openExample, ownRefusals, scenarios, waivers } from './scenarios';

/** The parts of the server under test. scripts/mutants replaces one of them by a broken one. */
export interface Parts extends Changes {
  readonly open: typeof openExample;
}

/** This service as a target of the prover. */
export const service = ({ open = openExample, ...changes }: Partial<Parts> = {}): ServiceTarget =>
  serviceTarget(
    {
      document,
      open,
      createHandlers,
      createApp,
      errors,
      refusal,
      refusalSchema: '/components/schemas/Error',
      verifiers,
      ownRefusals,
      scenarios,
      waivers,
    },
    changes,
  );
