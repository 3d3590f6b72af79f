import { Component, type ComponentChildren } from 'preact';
import { Page } from './page.tsx';

interface Props {
  /** The place that the children show. */
  readonly place: string;
  readonly children: ComponentChildren;
}

interface State {
  /** What has failed, and where. */
  readonly failed?: { readonly at: string; readonly error: Error };
}

/**
 * Shows why a page could not be drawn, for example because the service sends something that this console does not know. At
 * another place it draws the children again.
 */
export class Boundary extends Component<Props, State> {
  override componentDidCatch(error: Error): void {
    console.error(error);
    this.setState({ failed: { at: this.props.place, error } });
  }

  override render({ place, children }: Props, { failed }: State) {
    if (failed?.at !== place) return children;
    return (
      <Page title="This page could not be shown">
        <p class="empty">
          {failed.error.message}. The service may be of another version than this console.{' '}
          <a href="/">Go to the overview.</a>
        </p>
      </Page>
    );
  }
}
