import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ServiceProblem, service } from '../data/service.ts';
import { Loading, Page } from '../frame/page.tsx';
import { goTo, pathTo } from '../frame/router.ts';

/** Goes to the ticket or the match with an id. */
export function FindPage({ id }: { readonly id: string }) {
  const missing = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    missing.value = undefined;
    find(id, abort.signal).then(
      (kind) => {
        if (abort.signal.aborted) return;
        if (kind === undefined)
          missing.value =
            'The service has neither a ticket nor a match with this id. Both are kept for a limited time.';
        else goTo(pathTo(kind, id));
      },
      (error) => {
        if (!abort.signal.aborted) missing.value = (error as Error).message;
      },
    );
    return () => abort.abort();
  }, [id]);
  return (
    <Page title={id} trail={[{ text: 'Overview', href: '/' }]}>
      {missing.value === undefined ? (
        <Loading what="the ticket or match" />
      ) : (
        <p class="empty">{missing.value}</p>
      )}
    </Page>
  );
}

async function find(id: string, abort: AbortSignal): Promise<'tickets' | 'matches' | undefined> {
  if (await exists(service.ticket(id, abort))) return 'tickets';
  if (await exists(service.match(id, abort))) return 'matches';
  return undefined;
}

async function exists(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    // 400: the id has characters that no id has.
    if ([400, 404].includes((error as ServiceProblem).status)) return false;
    throw error;
  }
}
