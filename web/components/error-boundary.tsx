import { Component, type ComponentChildren } from 'preact';

type Given = {
  children: ComponentChildren;
  /** The address that is shown: at another one, what broke is drawn again. */
  at?: string;
  /** The element that says so in the place of what broke. */
  as: 'main' | 'div';
};

/** Shows that a page broke, in place of a page that is blank. */
export class ErrorBoundary extends Component<Given, { fault?: unknown }> {
  static override getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override componentDidUpdate({ at }: Given) {
    if (at !== this.props.at && this.state.fault !== undefined) this.setState({ fault: undefined });
  }

  override render() {
    const { fault } = this.state;
    const { as: Part } = this.props;
    if (fault === undefined) return this.props.children;
    return (
      <Part class={Part === 'main' ? 'page' : undefined}>
        <h1 class="page-title">This page broke</h1>
        <p>It is a fault of Airline's web UI. Reload the page; if it breaks again, report this:</p>
        <pre class="command" tabIndex={0}>
          {fault instanceof Error
            ? `${fault.name}: ${fault.message}`
            : 'It threw something that is not an error.'}
        </pre>
        <p>
          <a href="/tickets" target="_top">
            Go to the tickets
          </a>
        </p>
      </Part>
    );
  }
}
