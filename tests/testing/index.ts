/** The tests of a service that is built with this package: the engine, and the service as its target. */
export * from '../engine';
export { readExamples } from './examples';
export { refusalsOf } from './refusals';
export { serviceTarget, type Changes, type ServiceTarget, type TestedService } from './service-target';
