import { drawnIn } from '../charts/drawn-in.ts';
import { serviceUrl } from '../data/pace.ts';
import { outage } from '../data/polling.ts';
import { clockText } from '../format.ts';
import { IdForm } from './id-form.tsx';
import { pathTo, place } from './router.ts';

/** What stands on top of every page: where one is, where one can go, and whether the service responds. */
export function Masthead() {
  const isAt = (path: string) => (place.value === path ? 'page' : undefined);
  return (
    <header class="masthead row">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <a class="brand row" href="/">
        <img src="/icon.svg" alt="" width="26" height="26" />
        Muster
      </a>
      <nav class="row" aria-label="Pages">
        <a href="/" aria-current={isAt('/')}>
          Overview
        </a>
        <a href="/what-if" aria-current={place.value.startsWith('/what-if') ? 'page' : undefined}>
          What if
        </a>
      </nav>
      <search>
        <IdForm
          label="Find a ticket or a match by its id"
          hint="Ticket or match id"
          button="Find"
          pathOf={(id) => pathTo('find', id)}
        />
      </search>
      <p class="soft small" title="The service that this console shows">
        <span class="key" style={drawnIn(outage.value === undefined ? 'good' : 'bad')} aria-hidden="true" />{' '}
        {serviceUrl.replace(/^https?:\/\//, '')}
      </p>
    </header>
  );
}

/** Says that the service does not respond, or not to everything, and goes away when it does. */
export function OutageNotice() {
  const out = outage.value;
  return (
    <div role="alert">
      {out !== undefined && (
        <p class="outage">
          <strong>Not everything can be read since {clockText(out.sinceMs)}.</strong> {out.detail} Some of
          what you see is from before. The console asks again by itself.
        </p>
      )}
    </div>
  );
}
