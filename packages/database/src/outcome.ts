import { ConstraintViolation } from './store';

/** The only row of a statement that returns one. @throws {Error} if there is none */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('expected a row, got none');
  return row;
}

/**
 * What `work` resolves to; or the first of these constraints, where it rejects because a row breaks one of that kind. Nothing of
 * the statement, or of its transaction, has then been written.
 */
export async function unlessViolated<T, Kind extends ConstraintViolation['constraint']>(
  constraints: readonly Kind[],
  work: Promise<T>,
): Promise<T | Kind> {
  try {
    return await work;
  } catch (error) {
    const violated =
      error instanceof ConstraintViolation && constraints.find((kind) => kind === error.constraint);
    if (violated === false || violated === undefined) throw error;
    return violated;
  }
}
