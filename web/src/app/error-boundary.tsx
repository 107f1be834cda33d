import { Component, type ReactNode } from 'react';
import { PartNotLoaded } from '../components/load-part.ts';
import { Problem } from '../components/problem.tsx';
import { notifyNotLoaded } from './load-or-notify.ts';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | undefined;
}

/** Shows an error of a view without breaking the page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof PartNotLoaded)
      return <Problem problem={error.problem} retryLabel="Reload the page" onRetry={() => location.reload()} />;
    const problem = { error: error.message, code: 'internal', hint: 'This is an error in the page. Please report it.' };
    return <Problem problem={problem} onRetry={() => this.setState({ error: undefined })} />;
  }
}

interface OverlayProps extends Props {
  /** Called after an error, to close what could not be shown. */
  readonly onFailed?: () => void;
}

/** Shows an error of a dialog or a panel above the page as a toast, since it has no place of its own. */
export class OverlayBoundary extends Component<OverlayProps, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch(error: Error): void {
    notifyNotLoaded(error);
    this.props.onFailed?.();
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : null;
  }
}
