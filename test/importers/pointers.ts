import { Problem } from '../../lib/contract/problem.ts';

/** The places of what is invalid, when an import refuses its file. */
export function pointersOf(act: () => unknown): string[] {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ pointer }) => pointer);
    throw error;
  }
}
