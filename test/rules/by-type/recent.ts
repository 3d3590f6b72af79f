import type { RecentRule } from '../../../lib/rules/by-type/recent.ts';
import type { Rule } from '../../../lib/rules/rule-types.ts';
import { type OracleType, zeroHolds } from './oracle-type.ts';

export const recent: OracleType<RecentRule> = {
  ask(rule, { teams, met, nowMs }) {
    let amount = 0;
    teams.forEach((x, s) => {
      teams.forEach((y, t) => {
        if (rule.scope === 'opponents' && s === t) return;
        if (rule.scope === 'teammates' && s !== t) return;
        for (const a of x) {
          for (const b of y) {
            if (a.ticketId >= b.ticketId) continue;
            for (const p of a.players) {
              for (const q of b.players) {
                const at = met(p.playerId, q.playerId);
                if (at === undefined || rule.seconds === 0) continue;
                amount += Math.max(0, 1 - (nowMs - at) / 1000 / rule.seconds);
              }
            }
          }
        }
      });
    });
    return zeroHolds(amount);
  },
  randomNamed(name, { pick, chance, relaxOf, soft }) {
    const scope = chance(0.5) ? { scope: pick(['opponents', 'teammates', 'game'] as const) } : {};
    const relax = relaxOf(() => [{ seconds: 20 }, pick([{ seconds: 0 }, { off: true }])]);
    return { name, type: 'recent', seconds: 60, ...scope, ...relax, ...soft() } as Rule;
  },
};
