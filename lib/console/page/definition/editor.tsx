import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { completionsAt } from './completion.ts';
import type { Fault } from './faults.ts';

export interface DefinitionEditorProps {
  readonly text: string;
  readonly faults: readonly Fault[];
  readonly onInput: (text: string) => void;
}

/** A text field for JSON. Beside each line stand its faults, and below what may stand where the cursor is. */
export function DefinitionEditor({ text, faults, onInput }: DefinitionEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  // Behind the first brace, where the fields of the definition may stand.
  const cursor = useSignal(1);
  const lines = text.split('\n');
  const byLine = Map.groupBy(faults, ({ line }) => line);
  const noteCursor = () => {
    if (area.current) cursor.value = area.current.selectionStart;
  };
  const complete = (item: string, from: number, to: number) => {
    const insert = from === to ? withCommas(item, text, from) : item;
    onInput(text.slice(0, from) + insert + text.slice(to));
    queueMicrotask(() => {
      area.current?.focus();
      area.current?.setSelectionRange(from + insert.length, from + insert.length);
      noteCursor();
    });
  };
  const completions = completionsAt(text, Math.min(cursor.value, text.length));
  return (
    <>
      <div class="editor">
        <ol aria-hidden="true">
          {lines.map((_, at) => (
            <li key={at} class={byLine.has(at) ? 'fault' : ''}>
              {at + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={area}
          aria-label="The definition as JSON"
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? 'editor-faults' : undefined}
          spellcheck={false}
          autocomplete="off"
          rows={lines.length + 1}
          wrap="off"
          value={text}
          onInput={(event) => {
            onInput(event.currentTarget.value);
            noteCursor();
          }}
          onKeyUp={noteCursor}
          onClick={noteCursor}
        />
        <div class="fault wide-only" aria-hidden="true">
          {lines.map((_, at) => (
            <p key={at}>
              {byLine
                .get(at)
                ?.map(({ detail }) => detail)
                .join('; ')}
            </p>
          ))}
        </div>
      </div>
      {faults.length > 0 && (
        <ul class="fault stack" id="editor-faults">
          {faults.map(({ line, field, detail }) => (
            <li key={`${line} ${field} ${detail}`}>
              <button type="button" onClick={() => goToLine(area.current, line)}>
                line {line + 1}
              </button>{' '}
              {field !== '' && <strong>{field}: </strong>}
              {detail}
            </li>
          ))}
        </ul>
      )}
      {completions.items.length > 0 && (
        <section class="stack" aria-label="What may stand at the cursor">
          <h3>
            {completions.of === '' ? 'Fields of the definition' : `In ${completions.of}`}
            <span class="soft"> at the cursor</span>
          </h3>
          <ul class="row">
            {completions.items.map(({ label, description, insert }) => (
              <li key={label}>
                <button
                  type="button"
                  title={description}
                  onClick={() => complete(insert, completions.from, completions.to)}
                >
                  {label}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** A field that is inserted between others, with the commas and the line that it needs. */
function withCommas(item: string, text: string, at: number): string {
  const [before] = text.slice(0, at).trimEnd().slice(-1);
  const [after] = text.slice(at).trimStart();
  const isBehindOther = before !== undefined && !'{[,:'.includes(before);
  const indent = /\n( +)"/.exec(text)?.[1] ?? '  ';
  const line = before === ':' ? item : `${isBehindOther ? ',' : ''}\n${indent}${item}`;
  return after === '"' && before !== ':' ? `${line},` : line;
}

function goToLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return;
  const lines = area.value.split('\n');
  const from = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
  area.focus();
  area.setSelectionRange(from, from + lines[line]!.length);
}
