import { counted } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';
import { embeddedPart } from './stats-model.ts';
import styles from './stats-view.module.css';

/** The model of the vectors, and the length of the embedding queue. */
export function EncoderCard({ stats }: { readonly stats: Output<'explore_stats'> }) {
  const { encoder, vectors, queue } = stats;
  const part = embeddedPart(stats);
  return (
    <section className={styles.card}>
      <h2>Embeddings</h2>
      {part !== undefined && (
        <>
          <svg
            className={styles.meter}
            viewBox="0 0 100 4"
            preserveAspectRatio="none"
            role="img"
            aria-label={`${Math.floor(part * 100)} percent embedded`}
          >
            <rect className={styles.meterBack} width={100} height={4} />
            <rect width={part * 100} height={4} />
          </svg>
          <p className={styles.note}>
            {part === 1
              ? 'All texts are found by meaning.'
              : `${Math.floor(part * 100)} % of the texts are found by meaning, the others by keyword search.`}
          </p>
        </>
      )}
      <dl className={styles.pairs}>
        <dt>Encoder</dt>
        <dd>{encoder === undefined ? 'none yet' : `${encoder.name}, ${encoder.dimensions} dimensions`}</dd>
        <dt>Vectors</dt>
        <dd>
          {counted(vectors.entities, 'entity', 'entities')}, {counted(vectors.observations, 'observation')},{' '}
          {counted(vectors.reflections, 'reflection')}, {counted(vectors.memories, 'memory', 'memories')}
        </dd>
        <dt>Waiting</dt>
        <dd>{queue.waiting.toLocaleString('en')}</dd>
        {queue.failed > 0 && (
          <>
            <dt>Failed</dt>
            <dd className={styles.failed}>
              {queue.failed.toLocaleString('en')}
              {queue.last_error === undefined ? '' : `: ${queue.last_error}`}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
