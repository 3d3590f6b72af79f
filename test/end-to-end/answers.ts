import { expect } from 'vitest';
import { type Answer, answerFaults, type OpenApiDocument } from './answer-faults.ts';

/** Expects answers to fit the OpenAPI document, see {@link answerFaults}. */
export function answerChecker(document: OpenApiDocument) {
  const faultsOf = answerFaults(document);
  return (method: string, path: string, answer: Answer): void => {
    const what = `${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`;
    expect(faultsOf(method, path, answer), what).toEqual([]);
  };
}
