import { source } from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * The serious and critical findings of axe on a page, each with the elements that it names.
 *
 * @param rules by default all
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = await page.evaluate<{ violations: readonly Finding[] }>(
    `axe.run(${JSON.stringify(rules ? { runOnly: rules } : {})})`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
