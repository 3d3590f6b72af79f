import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { place } from './router.ts';

export interface PageProps {
  readonly title: string;
  /** Shown before the title, after the overview: where the page belongs. @default nothing, not even the overview */
  readonly trail?: readonly { readonly text: string; readonly href: string }[];
  /** A line below the title. */
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The place whose page has taken the focus. The first page leaves it where it is. */
let focused = location.pathname;
/** The title that has taken it. */
let holder: HTMLElement | undefined;

/** A page with its title. It takes the focus when the reader comes from another page, so a screen reader reads on here. */
export function Page({ title, trail, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Muster`;
    // A page that replaces another of the same place, such as the loaded one that of its loading, takes the focus over.
    const isLost = holder?.isConnected === false && document.activeElement === document.body;
    if (focused === place.peek() && !isLost) return;
    focused = place.peek();
    holder = heading.current ?? undefined;
    holder?.focus({ preventScroll: true });
  }, [title]);
  return (
    <main id="main">
      <header>
        {trail !== undefined && (
          <nav class="row small" aria-label="Where this page belongs">
            <a href="/">Overview</a>
            {trail.map(({ text, href }) => (
              <Fragment key={href}>
                <span aria-hidden="true">/</span>
                <a href={href}>{text}</a>
              </Fragment>
            ))}
          </nav>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead}
      </header>
      {children}
    </main>
  );
}

/** What stands where data is about to appear. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="empty" role="status">
      Loading {what} …
    </p>
  );
}

export interface AbsentProps {
  readonly what: string;
  readonly error: Error | undefined;
  /** What is shown when the service returns 404. @default the detail of its problem */
  readonly missing?: ComponentChildren;
}

/** What stands where data is not: that it is loading, or why there is none. */
export function Absent({ what, error, missing }: AbsentProps) {
  if (error === undefined) return <Loading what={what} />;
  const isMissing = (error as { readonly status?: number }).status === 404;
  return <p class="empty">{(isMissing && missing) || error.message}</p>;
}
