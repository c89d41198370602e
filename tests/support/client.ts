import type { Program } from './program';

/** What the servers of the end-to-end tests accept. */
export const TOKEN = 'a-very-secret-token';

export const portOf = ({ url }: Program) => Number(new URL(url).port);

/** POST /plants, with good credentials unless the headers say otherwise. */
export function post(
  { url }: Program,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/plants`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(body),
  });
}

/** The number in an error body. */
export const errorOf = async (response: Response) => ((await response.json()) as { error?: number }).error;
