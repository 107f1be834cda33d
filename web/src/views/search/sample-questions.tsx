import { useRoute } from '../../app/use-route.ts';
import { useTool } from '../../source/use-tool.ts';
import questions from '../../../sample/questions.json' with { type: 'json' };
import styles from './sample-questions.module.css';

interface Question {
  readonly question: string;
  /** The kind of record that answers it; default: an entity. */
  readonly kind?: string;
  readonly finds: string;
}

const [first] = questions;

/** Questions that the sample memory answers, shown only if it is loaded. */
export function SampleQuestions() {
  const { hrefOf } = useRoute();
  const { data } = useTool('explore_records', { kind: 'entities', filter: { name: first?.finds ?? '' }, limit: 1 });
  if (data === undefined || data.total === 0) return null;
  return (
    <div className={styles.questions}>
      <p id="sample-questions">Sample questions:</p>
      <ul aria-labelledby="sample-questions">
        {(questions as readonly Question[]).map(({ question, kind }) => (
          <li key={question}>
            <a href={hrefOf({ params: { q: question, of: kind === 'memory' ? 'memories' : undefined } })}>{question}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
