import { useSignal } from '@preact/signals';
import type { WebhookHealth } from '../../../contract/queue-stats.ts';
import type { WebhookTests } from '../../../contract/webhook-test.ts';
import { service } from '../data/service.ts';
import { clockText, countText, numberText } from '../format.ts';

const STATES: Readonly<Record<WebhookHealth['state'], string>> = {
  unused: 'no event yet',
  working: 'works',
  failing: 'fails',
  down: 'does not respond',
};

/** The webhooks of a queue: when they last worked and failed, what waits for them, and a test. */
export function Webhooks({
  name,
  webhooks,
}: {
  readonly name: string;
  readonly webhooks: readonly WebhookHealth[];
}) {
  const tests = useSignal<WebhookTests['webhooks'] | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const test = async () => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      tests.value = (await service.testWebhooks(name)).webhooks;
    } catch (error) {
      problem.value = (error as Error).message;
    }
    isBusy.value = false;
  };
  return (
    <section class="card stack" aria-labelledby="webhooks-title">
      <div class="row spread">
        <h2 id="webhooks-title">Webhooks</h2>
        <button type="button" disabled={isBusy.value} onClick={test}>
          {isBusy.value ? 'Sending …' : 'Send a test event'}
        </button>
      </div>
      <ul class="stack" aria-label="Webhooks">
        {webhooks.map((webhook) => (
          <WebhookItem key={webhook.url} {...webhook} />
        ))}
      </ul>
      <ul class="stack" aria-label="Responses to the test event" aria-live="polite">
        {problem.value !== undefined && <li class="trouble trouble-bad">{problem.value}</li>}
        {(tests.value ?? []).map((one) => (
          <li key={one.url} class={one.isDelivered ? 'soft' : 'trouble trouble-bad'}>
            {testText(one)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function WebhookItem({ url, state, lastSuccessAt, lastFailure, waiting, waitingSince }: WebhookHealth) {
  const time = (at: string) => clockText(Date.parse(at));
  return (
    <li>
      <p class="row spread">
        <span>{url}</span> <span class="soft">{STATES[state]}</span>
      </p>
      <p class="soft small">
        last success {lastSuccessAt === null ? 'none' : time(lastSuccessAt)} · last failure{' '}
        {lastFailure === null ? 'none' : `${time(lastFailure.at)}, ${lastFailure.text}`}
        {waitingSince !== null &&
          ` · ${countText(waiting, 'event waits', 'events wait')} since ${time(waitingSince)}`}
      </p>
    </li>
  );
}

function testText({ url, isDelivered, status, body, error, milliseconds }: WebhookTests['webhooks'][number]) {
  const time = `${numberText(milliseconds)} ms`;
  if (error !== undefined) return `${url}: ${error} (${time})`;
  const text = body === undefined || body === '' ? 'without a body' : body;
  return `${url}: status ${status}${isDelivered ? '' : ', not delivered'}, ${text} (${time})`;
}
