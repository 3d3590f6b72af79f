import type { RuleBody } from '../../../lib/rules/rule-types.ts';
import { accepted } from './accepted.ts';
import { anyOf } from './any-of.ts';
import { balance } from './balance.ts';
import { common } from './common.ts';
import { compare } from './compare.ts';
import { count } from './count.ts';
import { custom } from './custom.ts';
import { different } from './different.ts';
import { latency } from './latency.ts';
import type { Answer, AskedGame, OracleType } from './oracle-type.ts';
import { recent } from './recent.ts';
import { same } from './same.ts';
import { within } from './within.ts';

/** The types of rules in the oracle, by name. */
export const ORACLE_TYPES: {
  readonly [T in RuleBody['type']]: OracleType<Extract<RuleBody, { type: T }>>;
} = {
  same,
  different,
  within,
  common,
  accepted,
  count,
  balance,
  compare,
  latency,
  recent,
  custom,
  anyOf: anyOf(ask),
};

/** What a rule means for a game. */
export function ask(rule: RuleBody, game: AskedGame): Answer {
  return (ORACLE_TYPES[rule.type] as OracleType<RuleBody>).ask(rule, game);
}
