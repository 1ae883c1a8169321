import { Component, type ComponentChildren } from 'preact';

/** Shows that a page broke, in place of a page that is blank. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { fault?: unknown }> {
  static override getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <main class="page">
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
      </main>
    );
  }
}
