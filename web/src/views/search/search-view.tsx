import { Search as SearchIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Form, Input, SearchField } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { Segments } from '../../components/segments.tsx';
import { useSource } from '../../source/source-context.tsx';
import inputs from '../../components/input.module.css';
import { EntityAnswer } from './entity-answer.tsx';
import { MemoryAnswer } from './memory-answer.tsx';
import styles from './search-view.module.css';
import { TARGET_PARAM, searchTarget, SEARCH_TARGETS } from './search-url-state.ts';

/** The search view. A search of entities records accesses, so it runs only on an explicit action. */
export function SearchView() {
  const { route, go } = useRoute();
  const { q: question = '' } = route.params;
  // A standalone page has no encoder, but keyword search.
  const isPlain = useSource().kind === 'file';
  const what = searchTarget(route.params);
  const [text, setText] = useState(question);
  const [asked, setAsked] = useState(0);
  useEffect(() => setText(question), [question]);
  const search = (event: React.FormEvent): void => {
    event.preventDefault();
    if (text.trim() === question) setAsked((count) => count + 1);
    else go({ params: { q: text.trim() } });
  };
  const Answer = what === 'memories' ? MemoryAnswer : EntityAnswer;
  return (
    <div className={styles.view}>
      <h1 className="visually-hidden">Search</h1>
      <Form className={styles.form} onSubmit={search}>
        <Segments
          label="Search in"
          choices={SEARCH_TARGETS}
          chosen={what}
          onChoose={(id) => go({ params: { [TARGET_PARAM]: id === 'entities' ? undefined : id } })}
        />
        <SearchField
          className={`${inputs.marked} ${styles.field}`}
          aria-label="Question"
          value={text}
          onChange={setText}
        >
          <SearchIcon size={16} aria-hidden />
          <Input
            className={`${inputs.box} ${styles.input}`}
            placeholder={isPlain ? 'Words to look for' : 'Ask in your own words'}
          />
        </SearchField>
        <Button variant="primary" type="submit" isDisabled={text.trim() === '' && question === ''}>
          Search
        </Button>
      </Form>
      <Answer question={question} asked={asked} />
    </div>
  );
}
