import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight, File, FileX, Folder, FolderOpen } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { bytesText, counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import styles from './file-tree.module.css';
import { languageTitle } from './languages.ts';
import { foldersAbove, treeKey, type TreeRow, treeRows } from './tree-model.ts';
import { useFolders } from './use-folders.ts';

interface Props {
  readonly project: string;
  /** Changes when the index has changed. */
  readonly version: string;
  readonly path: string | undefined;
  readonly onOpen: (path: string) => void;
}

const ROW_HEIGHT = 26;
const INDENT = 14;

/** The folders and files of a project. Arrow keys move and expand, Enter opens. */
export function FileTree({ project, version, path, onOpen }: Props) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const above = useMemo(() => (path === undefined ? [] : foldersAbove(path)), [path]);
  // The shown file is visible, unless one of its folders was collapsed since.
  useEffect(() => {
    setToggled((before) => new Map([...before, ...above.map((folder) => [folder, true] as const)]));
  }, [above]);
  const expanded = useMemo(
    () => new Set([...toggled].filter(([, isExpanded]) => isExpanded).map(([folder]) => folder)),
    [toggled],
  );
  const { listings, error } = useFolders(project, [...expanded], version);
  const rows = useMemo(() => treeRows(listings, expanded), [listings, expanded]);
  const [focused, setFocused] = useState<string>();
  const scroll = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const index = Math.max(
    0,
    rows.findIndex((row) => row.path === (focused ?? path)),
  );
  const openIndex = path === undefined ? -1 : rows.findIndex((row) => row.path === path);
  useEffect(() => {
    setFocused(undefined);
    if (openIndex >= 0) virtual.scrollToIndex(openIndex);
    // Only when another file is shown, or its row appears.
  }, [path, openIndex >= 0]);
  const toggle = (folder: string): void =>
    setToggled((before) => new Map([...before, [folder, before.get(folder) !== true]]));
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = treeKey(rows, index, event.key);
    if (action === undefined) return;
    event.preventDefault();
    if (action.type === 'focus') {
      setFocused(rows[action.index]?.path);
      virtual.scrollToIndex(action.index);
    } else if (action.type === 'toggle') toggle(action.path);
    else onOpen(action.path);
  };
  const onPress = (row: TreeRow): void => {
    setFocused(row.path);
    if (row.kind === 'folder') toggle(row.path);
    else if (row.kind === 'file') onOpen(row.path);
  };
  if (error !== undefined) return <Problem problem={error} />;
  return (
    <div
      ref={scroll}
      className={styles.tree}
      role="tree"
      tabIndex={0}
      aria-label={`Files of ${project}`}
      aria-activedescendant={rows.length === 0 ? undefined : `${prefix}${index}`}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: at, start }) => {
          const row = rows[at];
          if (row === undefined) return null;
          return (
            <div
              key={row.path}
              id={`${prefix}${at}`}
              className={styles.row}
              role="treeitem"
              aria-level={row.level}
              aria-expanded={row.kind === 'folder' ? row.isExpanded : undefined}
              aria-selected={row.path === path}
              data-focused={at === index || undefined}
              title={titleOf(row)}
              style={{
                transform: `translateY(${start}px)`,
                height: ROW_HEIGHT,
                paddingLeft: 6 + (row.level - 1) * INDENT,
              }}
              onClick={() => onPress(row)}
            >
              <TreeRowContent row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function TreeRowContent({ row }: { readonly row: TreeRow }) {
  if (row.kind === 'omitted') return <span className={styles.omitted}>and {counted(row.count, 'more file')}</span>;
  const isFolder = row.kind === 'folder';
  const Icon = isFolder ? (row.isExpanded ? FolderOpen : Folder) : row.skipped === undefined ? File : FileX;
  return (
    <>
      <span className={styles.chevron} data-expanded={(isFolder && row.isExpanded) || undefined}>
        {isFolder && <ChevronRight size={12} aria-hidden />}
      </span>
      <Icon size={14} aria-hidden />
      <span className={styles.name} data-skipped={(!isFolder && row.skipped !== undefined) || undefined}>
        {row.name}
      </span>
      {!isFolder && <span className={styles.language}>{languageTitle(row.language)}</span>}
      <span className={styles.size}>{bytesText(row.bytes)}</span>
    </>
  );
}

function titleOf(row: TreeRow): string | undefined {
  if (row.kind === 'omitted') return undefined;
  const parts =
    row.kind === 'folder'
      ? [counted(row.files, 'file'), bytesText(row.bytes), `mostly ${languageTitle(row.language)}`]
      : [languageTitle(row.language), bytesText(row.bytes), row.skipped === undefined ? '' : `skipped: ${row.skipped}`];
  return `${row.path}\n${parts.filter((part) => part !== '').join(', ')}`;
}
