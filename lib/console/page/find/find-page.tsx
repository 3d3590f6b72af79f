import { useEffect } from 'preact/hooks';
import { useLoaded } from '../data/polling.ts';
import { type ServiceProblem, service } from '../data/service.ts';
import { Absent, Page } from '../frame/page.tsx';
import { goTo, pathTo } from '../frame/router.ts';

/** Goes to the ticket or the match with an id. */
export function FindPage({ id }: { readonly id: string }) {
  const { data, error } = useLoaded(id, (abort) => find(id, abort)).value;
  useEffect(() => {
    if (data !== undefined) goTo(pathTo(data, id), 'instead');
  }, [data]);
  return (
    <Page title={id} trail={[]}>
      <Absent what="the ticket or match" error={error} />
    </Page>
  );
}

async function find(id: string, abort: AbortSignal): Promise<'tickets' | 'matches'> {
  if (await exists(service.ticket(id, abort))) return 'tickets';
  if (await exists(service.match(id, abort))) return 'matches';
  throw new Error(
    'The service has neither a ticket nor a match with this id. Both are kept for a limited time.',
  );
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
