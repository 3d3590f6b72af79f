import { useSignal } from '@preact/signals';
import { goTo } from './router.ts';

export interface IdFormProps {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  /** The path of what has an id. */
  readonly pathOf: (id: string) => string;
}

/** Goes to what has an id. */
export function IdForm({ label, hint, button, pathOf }: IdFormProps) {
  const text = useSignal('');
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const id = text.value.trim();
        if (id !== '') goTo(pathOf(id));
      }}
    >
      <input
        type="search"
        name="id"
        aria-label={label}
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <button type="submit">{button}</button>
    </form>
  );
}
