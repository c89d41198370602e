import type { Express } from 'express';
import { findingLine } from '../contract';
import { type Application, createApp as create, type RuntimeOptions } from './app';

/** The entry `./operational`, which services of 2.0.0 import. It is `./runtime`, but for `createApp`. */
export * from './index';

/** Warnings that this process has printed: tests create the same application again and again. */
const warned = new Set<string>();

/**
 * The `createApp` of 2.0.0: it starts although operations do not document each refusal that can happen to them, with a warning
 * that has the actions of an overlay which document them.
 */
export const createApp = <Own extends string = never>(
  application: Application<Own>,
  options: RuntimeOptions<Own>,
): Express =>
  create(application, options, (finding) => {
    const advice = 'To make this an error, import contract-first-server/runtime in the place of /operational';
    const warning = `${findingLine(finding)}\n\n${advice}`;
    if (!warned.has(warning)) process.emitWarning(warning, 'UndocumentedRefusals');
    warned.add(warning);
  });
