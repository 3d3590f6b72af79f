/** The colours of the style sheet for what is drawn: of a series, of a team, of a state. */
export type Colour = 'accent' | 'second' | 'third' | 'bad' | 'good' | 'soft' | 'line' | 'ink';

/** The style of what is drawn in a colour. It follows the light and the dark setting. */
export function drawnIn(colour: Colour): Readonly<Record<string, string>> {
  return { '--colour': `var(--${colour})` };
}
