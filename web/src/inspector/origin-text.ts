import type { Output } from '../source/tools.ts';

type Origin = NonNullable<Output<'explore_entity'>['written_by']>;

/** Who wrote a memory or an entity, with the project and the file if known. */
export function originText({ label, project = '', file = '', kind }: Origin): string {
  const parts = [
    label,
    ...(project === '' || kind === 'hook' ? [] : [`project ${project}`]),
    ...(file === '' || kind === 'import' ? [] : [`imported from ${file}`]),
  ];
  return parts.join(', ');
}
