import { entities } from './kinds/entities.tsx';
import { links } from './kinds/links.tsx';
import { memories } from './kinds/memories.tsx';
import { observations } from './kinds/observations.tsx';
import { reflections } from './kinds/reflections.tsx';
import { relations } from './kinds/relations.tsx';
import type { RecordKind, Row } from './record-kind.ts';

/** The kinds of records, in the order of the tabs. */
export const RECORD_KINDS: readonly RecordKind<Row>[] = [
  entities,
  observations,
  relations,
  reflections,
  memories,
  links,
] as readonly unknown[] as readonly RecordKind<Row>[];
