/** Bodies of a run, as docs/integrate.md shows them: the test of that page compares them with their schemas. */
import { readFileSync } from 'node:fs';

export const PAGE = readFileSync(new URL('../../docs/integrate.md', import.meta.url), 'utf8');

/** What each block of JSON is, after `json` in its fence, and its text. */
export const BLOCKS = [...PAGE.matchAll(/```json (.+)\n([^`]+)```/g)].map(
  ([, what, text]) => [what!, text!] as const,
);

/** Bodies of further operations, by the block that shows them. */
const ALSO: Readonly<Record<string, string>> = {
  '200 GET /tickets/{ticketId}': '200 PUT /tickets/{ticketId}/acceptance',
  '200 GET /matches/{matchId}': '200 POST /matches/{matchId}/result',
};

/** The parts of an OpenAPI document that have bodies. */
interface Operation {
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
}
interface Body {
  readonly content?: Readonly<Record<string, { example?: unknown }>>;
}
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The OpenAPI document as it is published: with an example of each body that the page shows. */
export function withExamples(document: object): object {
  const copy: { paths: Operations; webhooks: Operations } = JSON.parse(JSON.stringify(document));
  const shown = Object.fromEntries(BLOCKS);
  const definition = readFileSync(
    new URL('../../examples/backends/queues/duel.json', import.meta.url),
    'utf8',
  );
  const also = Object.entries(ALSO).map(([what, from]) => [what, shown[from]!] as const);
  for (const [what, text] of [...BLOCKS, ...also, ['PUT /queues/{queue}', definition] as const]) {
    const [, status, method, path] = /^(?:(\d{3}) )?(?:([A-Z]+) )?(\S+)$/.exec(what)!;
    const { requestBody, responses } =
      method === undefined ? copy.webhooks[path!]!.post! : copy.paths[path!]![method.toLowerCase()]!;
    const body = status === undefined ? requestBody : responses![status];
    const [content] = Object.values(body!.content!);
    content!.example = JSON.parse(text);
  }
  return copy;
}
