import { type ComponentType, lazy } from 'react';
import { loadPart } from '../components/load-part.ts';

const components = new Map<unknown, unknown>();

/**
 * A component that is loaded at its first render; it throws `PartNotLoaded` if it cannot be. The same loader returns
 * the same component.
 */
export function lazyComponent<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const known = components.get(load);
  if (known !== undefined) return known as ComponentType<P>;
  const component = lazy(async () => ({ default: await loadPart(load) }));
  components.set(load, component);
  return component as unknown as ComponentType<P>;
}
