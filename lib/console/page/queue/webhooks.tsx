import { useSignal } from '@preact/signals';
import type { WebhookHealth } from '../../../contract/queue-stats.ts';
import type { WebhookTests } from '../../../contract/webhook-test.ts';
import { service } from '../data/service.ts';
import { clockText, countText, numberText } from '../frame/format.ts';

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
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">URL</th>
              <th scope="col">State</th>
              <th scope="col">Last success</th>
              <th scope="col">Last failure</th>
              <th scope="col">Waiting</th>
            </tr>
          </thead>
          <tbody>
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.url} {...webhook} />
            ))}
          </tbody>
        </table>
      </div>
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

function WebhookRow({ url, state, lastSuccessAt, lastFailure, waiting, waitingSince }: WebhookHealth) {
  return (
    <tr>
      <th scope="row">{url}</th>
      <td>{STATES[state]}</td>
      <td>{lastSuccessAt === null ? '–' : clockText(Date.parse(lastSuccessAt))}</td>
      <td>{lastFailure === null ? '–' : `${clockText(Date.parse(lastFailure.at))}: ${lastFailure.text}`}</td>
      <td>
        {waitingSince === null
          ? '–'
          : `${countText(waiting, 'event')} since ${clockText(Date.parse(waitingSince))}`}
      </td>
    </tr>
  );
}

function testText({ url, isDelivered, status, body, error, milliseconds }: WebhookTests['webhooks'][number]) {
  const time = `${numberText(milliseconds)} ms`;
  if (error !== undefined) return `${url}: ${error} (${time})`;
  const text = body === undefined || body === '' ? 'without a body' : body;
  return `${url}: status ${status}${isDelivered ? '' : ', not delivered'}, ${text} (${time})`;
}
