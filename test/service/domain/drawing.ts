import { NONE, type StatusMachine } from '../../../lib/service/domain/statuses.ts';

/** The statuses and the writes between them, as a diagram of Mermaid, without writes that keep the status and without the statuses of earlier versions. */
export function drawing({ transitions }: StatusMachine<string, string>): string {
  const reached = new Set(
    Object.values(transitions).flatMap(({ from, to }) => to.filter((one) => !from.includes(one))),
  );
  const isReached = (status: string) => status === NONE || reached.has(status);
  const edges = new Map<string, string[]>();
  for (const [name, { from, to }] of Object.entries<StatusMachine<string, string>['transitions'][string]>(
    transitions,
  ))
    for (const before of from.filter((status) => !to.includes(status) && isReached(status)))
      for (const after of to) {
        const edge = `${before === NONE ? '[*]' : before} --> ${after}`;
        edges.set(edge, [...(edges.get(edge) ?? []), name]);
      }
  const lines = [...edges].map(([edge, names]) => `    ${edge} : ${names.join(', ')}`);
  return ['```mermaid', 'stateDiagram-v2', ...lines, '```'].join('\n');
}

/** Every write, with what a crash after it leaves, as a table of Markdown. */
export function table({ transitions }: StatusMachine<string, string>): string {
  const rows = Object.entries<StatusMachine<string, string>['transitions'][string]>(transitions).map(
    ([name, { from, to, if: further, by, event, crash }]) => {
      const kept = from.length === to.length && to.every((status) => from.includes(status));
      const move = kept ? `${from.join(', ')}: kept` : `${from.join(', ')} → ${to.join(', ')}`;
      return [`\`${name}\``, move, further ?? '', by, event === undefined ? '' : `\`${event}\``, crash];
    },
  );
  const lines = [
    ['write', 'statuses', 'only if', 'by', 'event', 'after a crash'],
    Array(6).fill('---'),
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
