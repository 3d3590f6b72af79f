import { signal } from '@preact/signals';

/** Colours of the style sheet, for canvases, which do not inherit them. */
export interface Colours {
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly paper: string;
  readonly card: string;
  readonly accent: string;
  readonly accentSoft: string;
  readonly second: string;
  readonly third: string;
  readonly bad: string;
}

function read(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of('ink'),
    soft: of('soft'),
    line: of('line'),
    paper: of('paper'),
    card: of('card'),
    accent: of('accent'),
    accentSoft: of('accent-soft'),
    second: of('second'),
    third: of('third'),
    bad: of('bad'),
  };
}

/** The colours in force; they change with the light and dark setting of the system. */
export const colours = signal<Colours>(read());

const refresh = () => {
  colours.value = read();
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', refresh);
// The style sheet may arrive after this script.
addEventListener('load', refresh);
