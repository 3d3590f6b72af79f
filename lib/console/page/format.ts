/** Numbers and times as the page writes them. */

/** What stands for a value that is not known. */
const NOTHING = '–';

/** A number in three digits or so, and never 0 for another: `1,234`, `56.7`, `0.08`, `0.003`. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return WHOLE.format(value);
  if (size > 0 && size < 0.005) return value.toPrecision(1);
  return value.toFixed(size >= 0.095 || size === 0 ? 1 : 2);
}

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** A share as `97 %`. */
export function shareText(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return NOTHING;
  const percent = 100 * share;
  // Neither a few nor almost all are written as none or all.
  if (percent > 0 && percent < 1) return `${numberText(percent)} %`;
  return `${percent > 99 && percent < 100 ? Math.floor(10 * percent) / 10 : percent.toFixed(0)} %`;
}

/** A duration: `4.2 s`, `38 s`, `2:05 min`, `3 h 20 min`. */
export function secondsText(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NOTHING;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  if (whole < 3_600 && whole % 60 === 0) return `${whole / 60} min`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** A time on this machine's clock: `14:03:09`, and `28 Nov, 14:03:09` when it is further away than half a day. */
export function clockText(ms: number): string {
  return (Math.abs(Date.now() - ms) > HALF_DAY_MS ? DAY_AND_CLOCK : CLOCK).format(ms);
}

const HALF_DAY_MS = 12 * 3_600_000;

/** A text of the service with its times on this machine's clock: `not accepted by 14:03:09`. */
export function withClockTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => clockText(Date.parse(time)));
}

/** A reason of the service as a sentence, with times on this machine's clock. */
export function sentenceText(reason: string): string {
  const text = withClockTimes(reason);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const CLOCK = new Intl.DateTimeFormat('en-GB', TIME);
const DAY_AND_CLOCK = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...TIME });

/** `1 match`, `3 matches`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
