import { diffLines } from './diff.ts';

/** Unchanged lines that are shown around a change. */
const CONTEXT = 2;

const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' } as const;

/** The changed lines of a definition with a few around them. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = diffLines(before, after);
  if (lines.every(({ kind }) => kind === 'same')) return <p class="soft">No difference.</p>;
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  return (
    <pre class="diff">
      {lines.map(({ kind, text }, at) =>
        isNear(at) ? (
          <div key={at} class={`diff-${kind}`}>
            <span aria-hidden="true">{SIGNS[kind]} </span>
            <span class="hidden">{WORDS[kind]}</span>
            {text}
          </div>
        ) : null,
      )}
    </pre>
  );
}
