import * as z from 'zod';
import { limitOf, wholeIn } from './limit.ts';

/** Acts of a player against others, after which a queue may make the player wait. */
export const OFFENCE_KINDS = ['decline', 'leave'] as const;
export type OffenceKind = (typeof OFFENCE_KINDS)[number];

/** The limits of cooldowns. */
export const COOLDOWN_LIMITS = {
  /** The maximum of offences that a step counts, and of offences of a kind that are kept for a player. */
  timesMax: 20,
  /** The longest cooldown. */
  secondsMax: 604_800,
  /** The longest time that an offence counts. */
  forgetSecondsMax: 2_592_000,
  /** The maximum of players in a list. */
  listMax: 100,
} as const;

/** The default time that an offence counts. */
export const FORGET_SECONDS = 86_400;

const step = z.strictObject({
  times: wholeIn(1, COOLDOWN_LIMITS.timesMax).meta({
    description: 'From this many offences of the kind on; ascending',
  }),
  seconds: wholeIn(1, COOLDOWN_LIMITS.secondsMax).meta({
    description:
      'How long the player gets no further ticket, in seconds from the last of them; never falling',
  }),
});

const steps = z
  .array(step)
  .min(1)
  .max(COOLDOWN_LIMITS.timesMax)
  .refine(
    (all) => all.every(({ times }, i) => i === 0 || times > all[i - 1]!.times),
    'Expected steps in ascending order of times, got one that is not above the one before it',
  )
  .refine(
    (all) => all.every(({ seconds }, i) => i === 0 || seconds >= all[i - 1]!.seconds),
    'Expected seconds that do not fall from step to step, got a step with fewer than the one before it',
  );

/** The key `cooldown` of a definition. */
export const cooldownOptions = z
  .strictObject({
    decline: steps.optional().meta({
      description: 'For players who decline a match, or do not answer in time. Needs acceptance',
    }),
    leave: steps.optional().meta({
      description: 'For players that the studio names as `leavers` when it ends their match',
    }),
    forgetAfterSeconds: wholeIn(1, COOLDOWN_LIMITS.forgetSecondsMax)
      .optional()
      .meta({
        description: `How long an offence counts, in seconds; at least the longest cooldown (default ${FORGET_SECONDS})`,
      }),
  })
  .meta({ id: 'CooldownOptions' });
export type CooldownOptions = z.output<typeof cooldownOptions>;

/** An offence of a player. */
export const offence = z.object({
  kind: z.enum(OFFENCE_KINDS).meta({
    description: 'decline: the match was declined, or not answered in time. leave: the studio said so',
  }),
  matchId: z.string(),
  at: z.iso.datetime(),
});

/** The cooldown of a player in a queue, if any. */
export const playerCooldown = z
  .object({
    queue: z.string(),
    playerId: z.string(),
    until: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When the player gets a ticket again; absent when that is now' }),
    kind: z.enum(OFFENCE_KINDS).optional().meta({ description: 'Of the offences that it is for' }),
    reason: z.string().optional().meta({ description: 'The same in a sentence' }),
    offences: z.array(offence).meta({ description: 'Those that still count, the latest first' }),
  })
  .meta({ id: 'PlayerCooldown' });
export type PlayerCooldown = z.output<typeof playerCooldown>;

/** The query of a request for the players of a queue with a cooldown. */
export const cooldownsQuery = z.object({ limit: limitOf(COOLDOWN_LIMITS.listMax, 20) });

/** Players with a cooldown. */
export const playerCooldowns = z
  .object({ cooldowns: z.array(playerCooldown) })
  .meta({ id: 'PlayerCooldowns' });
export type PlayerCooldowns = z.output<typeof playerCooldowns>;
