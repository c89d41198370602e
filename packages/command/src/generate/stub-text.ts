import type { Operation } from 'contract-first-server';
import { type HandlerName, quoted } from './handler-names';

/**
 * The text of the file of a handler that nobody has written yet.
 *
 * @param ending what imports of files end with
 * @param reason why it is not written, for whoever writes it
 */
export function stubText(
  { operationId, method, paths: [at = ''] }: Operation,
  { identifier }: HandlerName,
  ending = '',
  reason = '',
): string {
  const made = `() => stub(${quoted(operationId)})`;
  const head = `export const ${identifier}: CreateHandler<${quoted(operationId)}> =`;
  const says = `${method} ${at.replaceAll('*/', '* /')}`;
  const comment =
    reason === ''
      ? `/** ${says} */`
      : `/**\n * ${says}\n *\n * A stub: ${reason.replaceAll('*/', '* /').replace(/\s+/g, ' ')}\n */`;
  const breaks = `${head} ${made};`.length > 110;
  return `import { stub } from 'contract-first-server';
import type { CreateHandler } from './types${ending}';

${comment}
${head}${breaks ? '\n  ' : ' '}${made};
`;
}
