import { render } from 'preact';
import { Masthead, OutageNotice } from './frame/masthead.tsx';
import { Page } from './frame/page.tsx';
import { namesOf, place } from './frame/router.ts';
import { OverviewPage } from './overview/overview-page.tsx';
import './styles.css';

/** The page for the place in the URL. */
function CurrentPage() {
  const [kind] = namesOf(place.value);
  if (kind === undefined) return <OverviewPage />;
  return (
    <Page title="Nothing here">
      <p class="empty">
        The console has no page at this address. <a href="/">Go to the overview.</a>
      </p>
    </Page>
  );
}

render(
  <>
    <Masthead />
    <OutageNotice />
    <CurrentPage />
  </>,
  document.getElementById('console')!,
);
