import { type Ladder, RATING_MODELS } from './ladder.ts';
import { OddsMeasures } from './odds-measures.ts';
import { type PlayedMatch, replay } from './replay.ts';

/** The part of the matches that a fit looks at; the rest is for a report on what it has not seen. */
export const FITTED_PART = 0.7;
/** The first part of those is rated and not judged: every player is new there. */
const SETTLING_PART = 0.2;

/** What a fit tries, as multiples of the initial deviation. */
const BETAS = [0.125, 0.25, 0.5, 1, 2, 4, 8];
const DRIFTS_PER_GAME = [0, 0.005, 0.01, 0.02, 0.05];
const DRIFTS_PER_DAY = [0, 0.005, 0.02, 0.05];

/**
 * The ladder with the least log loss of its calibrated odds on the first 70% of the matches, without the settling of the
 * first of them. The scale stays: `initial` is not changed. For each model it tries beta, then the drifts, then beta again,
 * since one of them can stand in for a part of the other.
 * @param tried called for each ladder that was tried, with its log loss
 */
export function fitLadder(
  start: Ladder,
  matches: readonly PlayedMatch[],
  tried: (ladder: Ladder, logLoss: number) => void = () => {},
): Ladder {
  const fitted = matches.slice(0, Math.floor(FITTED_PART * matches.length));
  const from = Math.floor(SETTLING_PART * fitted.length);
  const unit = start.initial.deviation;
  const hasTimes = fitted.some(({ atMs }) => atMs !== undefined);
  let best = { ladder: start, logLoss: logLossOf(start, fitted, from) };
  for (const model of RATING_MODELS) {
    const own: Ladder = { ...start, model };
    let ofModel = { ladder: own, logLoss: logLossOf(own, fitted, from) };
    const steps: ((ladder: Ladder) => Ladder[])[] = [
      (ladder) => BETAS.map((part) => ({ ...ladder, beta: part * unit })),
      (ladder) => DRIFTS_PER_GAME.map((part) => withDrift(ladder, { perGame: part * unit })),
      (ladder) => (hasTimes ? DRIFTS_PER_DAY.map((part) => withDrift(ladder, { perDay: part * unit })) : []),
      (ladder) => [0.7, 1.4].map((factor) => ({ ...ladder, beta: factor * ladder.beta })),
    ];
    for (const step of steps)
      for (const ladder of step(ofModel.ladder)) {
        const logLoss = logLossOf(ladder, fitted, from);
        tried(ladder, logLoss);
        if (logLoss < ofModel.logLoss) ofModel = { ladder, logLoss };
      }
    if (ofModel.logLoss < best.logLoss) best = ofModel;
  }
  return best.ladder;
}

function withDrift(ladder: Ladder, change: Partial<Ladder['drift']>): Ladder {
  return { ...ladder, drift: { ...ladder.drift, ...change } };
}

function logLossOf(ladder: Ladder, matches: readonly PlayedMatch[], from: number): number {
  const measures = new OddsMeasures();
  replay(ladder, matches, ({ index, calibrated, shares }) => {
    if (index >= from) measures.add(calibrated, shares);
  });
  return measures.worth.logLoss;
}
