import { Braces, Box, Component, Diamond, Hash, List, type LucideIcon, Parentheses, Shapes } from 'lucide-react';
import { shownTheme } from '../../app/theme.ts';
import { symbolColors } from '../../components/type-color.ts';
import { useStore } from '../../source/source-context.tsx';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  class: Box,
  constant: Hash,
  enum: List,
  function: Parentheses,
  interface: Shapes,
  method: Parentheses,
  module: Braces,
  struct: Box,
  trait: Shapes,
  type: Component,
};

/** The icon of a kind of symbol, in its colour. */
export function SymbolIcon({ type }: { readonly type: string }) {
  const shown = useStore(shownTheme);
  const Icon = ICONS[type] ?? Diamond;
  return (
    <>
      <Icon size={13} color={symbolColors.colorOf(type, shown)} aria-hidden />
      <span className="visually-hidden">{type}</span>
    </>
  );
}
