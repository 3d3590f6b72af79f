import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface CardProps {
  readonly title: ComponentChildren;
  /** Further classes. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of a page with its title. */
export function Card({ title, class: more = '', children }: CardProps) {
  const id = useId();
  return (
    <section class={`card stack ${more}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
