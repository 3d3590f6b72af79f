import { signal } from '@preact/signals';

/** The place that the page shows: the path of the URL. */
export const place = signal(location.pathname);

addEventListener('popstate', () => {
  place.value = location.pathname;
});

/** Follows links within the page without loading it again. Keys that open a new tab keep their meaning. */
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest?.('a');
  if (link?.target !== '' || link.origin !== location.origin) return;
  // A link to a part of the page, such as the one that skips the navigation, is the browser's.
  if (link.hash !== '' && link.pathname === location.pathname) return;
  event.preventDefault();
  goTo(link.pathname);
});

/** Goes to a place, as a link does; `instead` of the present one, to which nobody wants to go back. */
export function goTo(path: string, instead?: 'instead'): void {
  if (instead !== undefined) history.replaceState(null, '', path);
  else if (path !== location.pathname) history.pushState(null, '', path);
  place.value = path;
  scrollTo(0, 0);
}

/** The path of a place, from names that may have any characters. */
export function pathTo(...names: readonly string[]): string {
  return `/${names.map(encodeURIComponent).join('/')}`;
}

/** The names of a path; the inverse of {@link pathTo}. */
export function namesOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}
