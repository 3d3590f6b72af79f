import * as z from 'zod';
import { check, type FieldProblem } from '../../../contract/problem.ts';
import { queueDefinition } from '../../../contract/queue-definition.ts';

// Without this zod tries whether it may compile schemas with `eval`, which the page's policy reports as a violation.
z.config({ jitless: true });

/** What is wrong with a definition by the schema of the service; undefined when nothing is. */
export function definitionProblems(value: unknown): readonly FieldProblem[] | undefined {
  return check(queueDefinition, value).problems;
}
