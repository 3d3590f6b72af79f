import { type Signal, signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { Loading, Page } from './page.tsx';

/** A page whose code is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let loaded: Signal<FunctionComponent<P> | Error | undefined> | undefined;
  return function Lazy(props: P) {
    if (loaded === undefined) {
      const state = signal<FunctionComponent<P> | Error | undefined>(undefined);
      loaded = state;
      load().then(
        (component) => {
          state.value = component;
        },
        (error) => {
          state.value = error as Error;
        },
      );
    }
    const Loaded = loaded.value;
    if (Loaded === undefined) {
      return (
        <Page title="Loading">
          <Loading what="this page" />
        </Page>
      );
    }
    if (Loaded instanceof Error) {
      // The next visit tries again.
      loaded = undefined;
      return (
        <Page title="This page did not load">
          <p class="empty">The console does not respond: {Loaded.message}. Is it still running?</p>
        </Page>
      );
    }
    return <Loaded {...props} />;
  };
}
