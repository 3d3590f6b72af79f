import { render } from 'preact';
import { FindPage } from './find/find-page.tsx';
import { Boundary } from './frame/boundary.tsx';
import { lazy } from './frame/lazy.tsx';
import { Masthead, OutageNotice } from './frame/masthead.tsx';
import { Page } from './frame/page.tsx';
import { namesOf, place } from './frame/router.ts';
import { LadderPage } from './ladder/ladder-page.tsx';
import { RatingPage } from './ladder/rating-page.tsx';
import { MatchPage } from './match/match-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { QueuePage } from './queue/queue-page.tsx';
import { TicketPage } from './ticket/ticket-page.tsx';
import './styles.css';

// These pages bring the schemas, which are larger than everything else together.
const DefinitionPage = lazy(async () => (await import('./definition/definition-page.tsx')).DefinitionPage);
const WhatIfPage = lazy(async () => (await import('./what-if/what-if-page.tsx')).WhatIfPage);

/** The page for the place in the URL. */
function CurrentPage() {
  const [kind, name, part] = namesOf(place.value);
  if (kind === undefined) return <OverviewPage />;
  if (kind === 'queues' && name !== undefined && part === 'definition')
    return <DefinitionPage key={name} name={name} />;
  if (kind === 'queues' && name !== undefined && part === undefined)
    return <QueuePage key={name} name={name} />;
  if (kind === 'matches' && name !== undefined) return <MatchPage key={name} matchId={name} />;
  if (kind === 'tickets' && name !== undefined) return <TicketPage key={name} ticketId={name} />;
  if (kind === 'ladders' && name !== undefined && part !== undefined)
    return <RatingPage key={place.value} ladder={name} playerId={part} />;
  if (kind === 'ladders' && name !== undefined) return <LadderPage key={name} name={name} />;
  if (kind === 'what-if') return <WhatIfPage name={name} />;
  if (kind === 'find' && name !== undefined) return <FindPage id={name} />;
  return (
    <Page title="Nothing here">
      <p class="empty">
        The console has no page at this address. <a href="/">Go to the overview.</a>
      </p>
    </Page>
  );
}

function Place() {
  return (
    <Boundary place={place.value}>
      <CurrentPage />
    </Boundary>
  );
}

render(
  <>
    <Masthead />
    <OutageNotice />
    <Place />
  </>,
  document.getElementById('console')!,
);
