import { updateMemory } from '../../mutations/memories.ts';
import { EditableText } from '../../components/editable-text.tsx';
import { day, percent } from '../../components/format.ts';
import { useSource } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { Section } from '../section.tsx';
import styles from './confidence.module.css';
import { confidenceChart, confidenceText } from './confidence-chart.ts';
import { saveNumber, shortNumber } from './number.ts';

const WIDTH = 300;
const HEIGHT = 72;

/** The current confidence of a memory, its history and its forecast without further use. */
export function ConfidenceSection({ data: { memory, confidence } }: { readonly data: Output<'explore_memory'> }) {
  const source = useSource();
  const chart = confidenceChart(confidence, WIDTH, HEIGHT);
  const text = confidenceText(confidence);
  const [first] = confidence.points;
  const last = confidence.points.at(-1);
  return (
    <Section title="Confidence">
      <div className={styles.confidence}>
        <dl className={styles.values}>
          <div>
            <dt>Now</dt>
            <dd className={styles.now}>{percent(memory.effective_confidence)}</dd>
          </div>
          <div>
            <dt>Stored</dt>
            <dd>
              <EditableText
                label="Stored confidence"
                text={shortNumber(memory.confidence)}
                onSave={(typed) =>
                  saveNumber(typed, 'from 0 to 1, such as 0.8 or 80 %', (confidence) =>
                    updateMemory(source, memory.id, { confidence }),
                  )
                }
              />
            </dd>
          </div>
          {confidence.fades_at !== undefined && (
            <div>
              <dt>Minimum on</dt>
              <dd>{day(confidence.fades_at)}</dd>
            </div>
          )}
        </dl>
        {chart !== undefined && (
          <figure>
            <svg className={styles.chart} viewBox={`0 -3 ${WIDTH} ${HEIGHT + 6}`} role="img" aria-label={text}>
              <title>{text}</title>
              {[0, 0.5, 1].map((share) => (
                <line key={share} className={styles.level} x1={0} x2={WIDTH} y1={share * HEIGHT} y2={share * HEIGHT} />
              ))}
              <polyline className={styles.expected} points={chart.expected} />
              <polyline className={styles.known} points={chart.known} />
              {chart.alone.map(({ x, y }) => (
                <circle key={x} className={styles.alone} cx={x} cy={y} r={2} />
              ))}
              <circle className={styles.here} cx={chart.nowX} cy={chart.nowY} r={3} />
            </svg>
            <figcaption className={styles.caption}>
              <span>{first === undefined ? '' : day(first.at)}</span>
              {last?.is_expected === true && <span>dashed: forecast without further use</span>}
              <span>{last === undefined ? '' : day(last.at)}</span>
            </figcaption>
          </figure>
        )}
      </div>
    </Section>
  );
}
