import { Component, type ComponentChild, type FunctionComponent, h } from 'preact';

/** A component that is drawn again only when `isSame` says that its properties have changed. */
export function memo<P extends object>(
  Inner: FunctionComponent<P>,
  isSame: (before: P, after: P) => boolean,
): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !isSame(this.props as P, next);
    }

    override render(): ComponentChild {
      return h(Inner, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
