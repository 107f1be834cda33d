import { type ComponentType, lazy } from 'react';

const made = new Map<unknown, unknown>();

/** A component that is loaded when it is first drawn. The same loader gives the same component. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const known = made.get(load);
  if (known !== undefined) return known as ComponentType<P>;
  const component = lazy(async () => ({ default: await load() }));
  made.set(load, component);
  return component as unknown as ComponentType<P>;
}
