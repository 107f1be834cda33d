import { bytesText, counted } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';
import styles from './stats-view.module.css';

/** The size of the database file. */
export function FileCard({ stats }: { readonly stats: Output<'explore_stats'> }) {
  const { file, tokens, schema_version } = stats;
  return (
    <section className={styles.card}>
      <h2>Database</h2>
      <dl className={styles.pairs}>
        <dt>Size</dt>
        <dd>{bytesText(file.bytes)}</dd>
        <dt>Free space</dt>
        <dd>{bytesText(file.free_pages * file.page_bytes)}</dd>
        <dt>Pages</dt>
        <dd>
          {file.pages.toLocaleString('en')} of {bytesText(file.page_bytes)}
        </dd>
        <dt>Token vectors</dt>
        <dd>
          {bytesText(tokens.bytes)} for {counted(tokens.texts, 'text')}, {counted(tokens.tokens, 'token')}
        </dd>
        <dt>Schema</dt>
        <dd>version {schema_version}</dd>
      </dl>
    </section>
  );
}
