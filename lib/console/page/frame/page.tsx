import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface PageProps {
  readonly title: string;
  /** Shown before the title: where the page belongs. */
  readonly trail?: readonly { readonly text: string; readonly href: string }[];
  /** A line below the title. */
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirst = true;

/** A page with its title. It takes the focus when the reader comes from another page, so a screen reader reads on here. */
export function Page({ title, trail = [], lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Muster`;
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, [title]);
  return (
    <main id="main">
      <header class="page-head">
        {trail.length > 0 && (
          <nav class="trail" aria-label="Where this page belongs">
            {trail.map(({ text, href }) => (
              <a key={href} href={href}>
                {text}
              </a>
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
