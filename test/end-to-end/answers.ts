import { expect } from 'vitest';
import { type Answer, answerFaults, type OpenApiDocument, webhookFaults } from './answer-faults.ts';

/** Expects responses and webhooks to match the OpenAPI document; see {@link answerFaults}. */
export function answerChecker(document: OpenApiDocument) {
  const faultsOf = answerFaults(document);
  const faultsOfWebhook = webhookFaults(document);
  return {
    checkAnswer(method: string, path: string, answer: Answer): void {
      const what = `${method} ${path} returned ${answer.status} ${JSON.stringify(answer.body)}`;
      expect(faultsOf(method, path, answer), what).toEqual([]);
    },
    checkWebhook(body: { readonly type: string }): void {
      expect(faultsOfWebhook(body), `webhook ${JSON.stringify(body)}`).toEqual([]);
    },
  };
}
