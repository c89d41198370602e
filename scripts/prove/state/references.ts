import type { Parameter } from '../document/model';
import { rewriteLeaves } from '../json/leaves';
import type { Inputs } from '../request/slots';

/**
 * The inputs with names of existing resources in the query and in a JSON body.
 *
 * @param find resolves with the encoded name of a resource for a parameter or property such as `authorId`
 * @returns undefined if nothing refers to a resource
 */
export async function withNames(
  inputs: Inputs,
  find: (name: string) => Promise<string | undefined>,
): Promise<Inputs | undefined> {
  let isChanged = false;
  const parameters = new Map<Parameter, string>(inputs.parameters);
  for (const parameter of parameters.keys()) {
    const name = parameter.in === 'query' ? await find(parameter.name) : undefined;
    if (name === undefined) continue;
    parameters.set(parameter, `${parameter.name}=${name}`);
    isChanged = true;
  }
  const found = new Map<string, string>();
  const text = inputs.body?.bytes.toString() ?? '';
  const pointers: string[] = [];
  rewriteLeaves(text, (pointer) => {
    pointers.push(pointer);
    return undefined;
  });
  for (const pointer of pointers) {
    const name = await find(pointer.split('/').findLast((token) => !/^\d*$/.test(token)) ?? '');
    if (name !== undefined) found.set(pointer, decodeURIComponent(name));
  }
  const rewritten = rewriteLeaves(text, (pointer, leaf) => {
    const name = found.get(pointer);
    return name === undefined || leaf.startsWith('"') ? name && JSON.stringify(name) : name;
  });
  if (!inputs.body || rewritten === undefined || found.size === 0)
    return isChanged ? { ...inputs, parameters } : undefined;
  return { parameters, body: { ...inputs.body, bytes: Buffer.from(rewritten) } };
}
