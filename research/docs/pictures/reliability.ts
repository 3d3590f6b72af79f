/**
 * Plays several kinds of traffic and measures how often estimated waits come true: `npx node research/docs/pictures/reliability.ts` prints
 * the rows of the table in research/docs/estimated-waits.md and draws reliability.svg. It takes some minutes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type QueueDefinition, queueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { Ticket } from '../../../lib/engine/types.ts';
import {
  type CalibrationOf,
  ESTIMATED_SHARES,
  WaitCalibration,
} from '../../../lib/simulation/calibration.ts';
import { simulate } from '../../../lib/simulation/simulate.ts';
import { type TrafficOptions, trafficOfOptions } from '../../../lib/simulation/traffic-options.ts';
import { chart, line } from '../../lib/papers/plots.ts';

interface Case {
  /** Its name in the picture; without one it is only in the table. */
  readonly line?: string;
  readonly queue: string;
  readonly options: Omit<TrafficOptions, 'seed'>;
  /** A rule that is added to the queue. */
  readonly rule?: NonNullable<QueueDefinition['rules']>[number];
  /** Only tickets that arrive within these seconds of the run ask. @default all */
  readonly within?: readonly [from: number, to: number];
  /** Which parts of its tickets have rows of their own. */
  readonly parts?: RegExp;
}

const PARTIES = '1=75,2=15,5=10';

const CASES: readonly Case[] = [
  { line: 'steady', queue: 'arena', options: { rate: '5', players: '12000' } },
  { queue: 'duel', options: { rate: '2', players: '8000' } },
  { line: 'a day', queue: 'arena', options: { day: '0.4:5', players: '60000' } },
  { queue: 'arena', options: { ramp: '2:12:600', players: '10000' } },
  {
    line: 'step up',
    queue: 'arena',
    options: { step: '2:12:1800', players: '9000' },
    within: [1800, 2100],
  },
  {
    line: 'step down',
    queue: 'arena',
    options: { step: '12:2:900', players: '12600' },
    within: [900, 1200],
  },
  {
    line: 'parties',
    queue: 'arena',
    options: { rate: '5', players: '6000', parties: PARTIES },
    parts: /^size [25]/,
  },
  {
    line: 'regions',
    queue: 'arena',
    options: { rate: '5', players: '4000', regions: 'eu=60,us=40' },
    rule: { name: 'Ping', type: 'latency', max: 90 },
    parts: /^region/,
  },
  { queue: 'arena', options: { rate: '5', players: '8000', patience: '60' } },
  {
    line: 'roles',
    queue: 'raid',
    options: { rate: '3', players: '3000' },
    parts: /^roles (tank|healer|damage)$/,
  },
];

/** A calibration that only tickets ask that arrive within a time. */
class CalibrationWithin extends WaitCalibration {
  readonly #isAsked: (ticket: Ticket) => boolean;

  constructor(definition: QueueDefinition, isAsked: (ticket: Ticket) => boolean) {
    super(definition);
    this.#isAsked = isAsked;
  }

  override searching(range: string, tickets: readonly Ticket[], nowMs: number): void {
    super.searching(range, tickets.filter(this.#isAsked), nowMs);
  }
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const lines = CASES.flatMap((one) => {
  const calibration = played(one);
  for (const part of calibration)
    if (part.of === 'all' || one.parts?.test(part.of)) console.log(row(one, part));
  if (one.line === undefined) return [];
  const { curve } = calibration[0]!;
  return [
    line(one.line, ESTIMATED_SHARES.map((part, at) => [100 * part, 100 * curve[at]!]).filter(isMeasured)),
  ];
});
const diagonal = line('as estimated', [
  [0, 0],
  [100, 100],
]);
const axes = ['% estimated', '% of tickets matched within the time'] as const;
const { svg } = chart('reliability', 'Estimated waits', ...axes, [...lines, diagonal], { max: 100 });
writeFileSync(path('reliability.svg'), svg);

function isMeasured(point: readonly number[]): boolean {
  return !point.some(Number.isNaN);
}

/** The calibration of all tickets first, then of its parts. */
function played({ queue, options, rule, within }: Case): readonly CalibrationOf[] {
  const file = JSON.parse(readFileSync(path(`../../../queues/${queue}.json`), 'utf8'));
  const rules = queueDefinition.parse(rule ? { ...file, rules: [rule] } : file);
  const { arrivals, atEnd } = trafficOfOptions({ seed: '1', ...options }, rules, { players: 1 }, () => []);
  let startMs: number | undefined;
  const calibration = new CalibrationWithin(rules, ({ enqueuedAtMs }) => {
    startMs ??= enqueuedAtMs;
    const seconds = (enqueuedAtMs - startMs) / 1000;
    return within === undefined || (seconds >= within[0] && seconds < within[1]);
  });
  for (const _ of simulate({ rules, arrivals, atEnd, observers: [calibration] }));
  return calibration.read();
}

function row({ queue, options, rule, within }: Case, part: CalibrationOf): string {
  const flags = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
  const from = within ? `, tickets of the seconds ${within[0]} to ${within[1]}` : '';
  const text =
    part.of === 'all'
      ? `\`${queue}.json ${flags.join(' ')}\`${rule ? `, a ${rule.type} rule` : ''}${from}`
      : `of these, ${part.of}`;
  const percent = (share: number, digits: number) => `${(100 * share).toFixed(digits)}%`;
  const told = `${part.asked.toLocaleString('en-US')} | ${percent(part.withP90, 0)}`;
  return `| ${text} | ${told} | ${percent(part.matchedByP50, 1)} | ${percent(part.matchedByP90, 1)} |`;
}
