import type { ComponentChildren } from 'preact';
import { type Colour, drawnIn } from './drawn-in.ts';
import type { Mark } from './plot.ts';

export interface KeyProps {
  readonly colour: Colour;
  readonly kind?: Mark;
  readonly children: ComponentChildren;
}

/** What a colour of a picture stands for. */
export function Key({ colour, kind = 'dots', children }: KeyProps) {
  return (
    <span>
      <span class={`key key-${kind}`} style={drawnIn(colour)} aria-hidden="true" /> {children}
    </span>
  );
}
