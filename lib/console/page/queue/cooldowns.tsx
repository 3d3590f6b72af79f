import type { PlayerCooldown } from '../../../contract/cooldown.ts';
import type { QueueStats } from '../../../contract/queue-stats.ts';
import { paced } from '../data/pace.ts';
import { usePolled } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { clockText, countText, numberText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { Absent } from '../frame/page.tsx';

/** They are listed from an index, and players wait for minutes: a reading every few seconds is enough. */
const EVERY_MS = 5_000;
const LIMIT = 20;

/** The players who are cooling down, until when and why. The service returns ids, and no other data of a player. */
export function Cooldowns({
  name,
  counts,
}: {
  readonly name: string;
  readonly counts: QueueStats['outcomes']['cooldowns'];
}) {
  const listed = usePolled(
    name,
    (abort) => service.cooldowns(name, LIMIT, abort),
    () => paced(EVERY_MS),
  );
  const { data, error } = listed.value;
  return (
    <Card title="Cooling down">
      {counts !== undefined && (
        <p class="soft small">
          Begun in the last five minutes: {numberText(counts.declined)} for a declined or unanswered match,{' '}
          {numberText(counts.left)} for leaving one.
        </p>
      )}
      {data === undefined && <Absent what="the cooldowns" error={error} />}
      {data?.length === 0 && <p class="soft">No player waits for the end of a cooldown.</p>}
      <ul class="stack" aria-label="Players who are cooling down">
        {(data ?? []).map((one) => (
          <CooldownItem key={one.playerId} {...one} />
        ))}
      </ul>
      {data?.length === LIMIT && <p class="soft small">There may be more: these have the latest offences.</p>}
    </Card>
  );
}

function CooldownItem({ playerId, until, kind, offences }: PlayerCooldown) {
  const times = offences.filter((offence) => offence.kind === kind).length;
  const what = kind === 'leave' ? 'left' : 'declined or did not answer';
  return (
    <li class="row spread">
      <span>{playerId}</span>
      <span class="soft">
        {what} {countText(times, 'match', 'matches')} · until{' '}
        {until === undefined ? 'now' : clockText(Date.parse(until))}
      </span>
    </li>
  );
}
