import { Component, type ReactNode } from 'react';
import { Problem } from '../components/problem.tsx';

interface State {
  readonly error: Error | undefined;
}

/** Shows an error of a view without breaking the page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const problem = { error: error.message, code: 'internal', hint: 'This is an error in the page. Please report it.' };
    return <Problem problem={problem} onRetry={() => this.setState({ error: undefined })} />;
  }
}
