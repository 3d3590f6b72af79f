import { useEffect, useRef } from 'preact/hooks';
import { colours } from '../charts/colours.ts';
import type { WaitingTicket } from '../data/waiting.ts';
import { countText, numberText, secondsText } from '../frame/format.ts';

export interface PoolPictureProps {
  readonly waiting: readonly WaitingTicket[];
  /** Skills at which the pool is split. */
  readonly boundaries: readonly number[];
  readonly timeoutSeconds: number;
}

const HEIGHT = 240;
const EDGE = { left: 48, right: 24, top: 12, bottom: 28 };
const AGE_TICKS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];

/** The waiting tickets along the skill axis; the older, the higher. A dot is a ticket, its size the party's. */
export function PoolPicture({ waiting, boundaries, timeoutSeconds }: PoolPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = colours.value;
  useEffect(() => {
    const draw = () => canvas.current && drawPool(canvas.current, { waiting, boundaries, timeoutSeconds });
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, [waiting, boundaries, timeoutSeconds, palette]);
  return (
    <canvas class="pool-picture" ref={canvas} height={HEIGHT} role="img" aria-label={inWords(waiting)} />
  );
}

function inWords(waiting: readonly WaitingTicket[]): string {
  if (waiting.length === 0) return 'No ticket is waiting.';
  const oldest = Math.max(...waiting.map(({ ageSeconds }) => ageSeconds));
  return (
    `${countText(waiting.length, 'waiting ticket')} with skills from ${numberText(waiting[0]!.skill)} to ` +
    `${numberText(waiting.at(-1)!.skill)}; the oldest has waited ${secondsText(oldest)}.`
  );
}

function drawPool(
  canvas: HTMLCanvasElement,
  { waiting, boundaries, timeoutSeconds }: PoolPictureProps,
): void {
  const width = canvas.clientWidth;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(HEIGHT * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  const palette = colours.value;
  const skills = waiting.map(({ skill }) => skill);
  const [least, greatest] = [Math.min(...skills, ...boundaries), Math.max(...skills, ...boundaries)];
  const margin = Math.max(1, (greatest - least) * 0.04);
  const [from, to] = waiting.length === 0 ? [0, 3_000] : [Math.max(0, least - margin), greatest + margin];
  const oldest = Math.max(5, ...waiting.map(({ ageSeconds }) => ageSeconds)) * 1.15;
  const x = (skill: number) => EDGE.left + ((skill - from) / (to - from)) * (width - EDGE.left - EDGE.right);
  const floor = HEIGHT - EDGE.bottom;
  const y = (age: number) => floor - Math.sqrt(age / oldest) * (floor - EDGE.top);

  context.font = '11px system-ui, sans-serif';
  context.strokeStyle = palette.line;
  context.fillStyle = palette.soft;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  let lowest = Number.POSITIVE_INFINITY;
  for (const age of AGE_TICKS.filter((one) => one <= oldest)) {
    if (lowest - y(age) < 22) continue;
    lowest = y(age);
    line(context, EDGE.left, y(age), width - EDGE.right, y(age));
    context.fillText(secondsText(age).replace('.0', ''), EDGE.left - 8, y(age));
  }
  context.textAlign = 'center';
  for (const skill of skillTicks(from, to, width)) context.fillText(numberText(skill), x(skill), floor + 15);
  context.setLineDash([4, 4]);
  context.strokeStyle = palette.third;
  for (const boundary of boundaries) line(context, x(boundary), EDGE.top, x(boundary), floor);
  if (timeoutSeconds <= oldest) {
    context.strokeStyle = palette.bad;
    line(context, EDGE.left, y(timeoutSeconds), width - EDGE.right, y(timeoutSeconds));
  }
  context.setLineDash([]);
  for (const { skill, size, ageSeconds } of waiting) {
    context.beginPath();
    context.arc(x(skill), y(ageSeconds), 2.6 + 1.3 * Math.min(8, size - 1), 0, 2 * Math.PI);
    context.fillStyle = `${ageSeconds > 0.85 * timeoutSeconds ? palette.bad : size > 1 ? palette.second : palette.accent}b3`;
    context.fill();
  }
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
  context.stroke();
}

/** Round skills, some 80 pixels apart. */
function skillTicks(from: number, to: number, width: number): number[] {
  const rough = ((to - from) * 80) / width;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
