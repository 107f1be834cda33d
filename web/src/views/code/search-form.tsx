import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Form, Input, SearchField } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { Segments } from '../../components/segments.tsx';
import inputs from '../../components/input.module.css';
import { CODE_SEARCH_TARGETS, type CodeSearchTarget, searchParams } from './code-url-state.ts';
import styles from './search-form.module.css';

interface Props {
  readonly question: string;
  readonly target: CodeSearchTarget;
  readonly project: string;
}

/** Asks a question about the code, or for a name. */
export function SearchForm({ question, target, project }: Props) {
  const { go } = useRoute();
  const [text, setText] = useState(question);
  useEffect(() => setText(question), [question]);
  const search = (event: React.FormEvent): void => {
    event.preventDefault();
    go({ params: { project, ...searchParams(text.trim(), target) } });
  };
  const choose = (id: CodeSearchTarget): void => go({ params: { project, ...searchParams(text.trim(), id) } });
  return (
    <Form className={styles.form} onSubmit={search}>
      <Segments label="Search in" choices={CODE_SEARCH_TARGETS} chosen={target} onChoose={choose} />
      <SearchField
        className={`${inputs.marked} ${styles.field}`}
        aria-label="Search the code"
        value={text}
        onChange={setText}
        onClear={() => go({ params: searchParams('', target) })}
      >
        <Search size={15} aria-hidden />
        <Input
          className={`${inputs.box} ${styles.input}`}
          placeholder={target === 'names' ? 'Part of a name' : 'Ask in your own words, or for a name'}
        />
      </SearchField>
      <Button variant="primary" type="submit" isDisabled={text.trim() === '' && question === ''}>
        Search
      </Button>
    </Form>
  );
}
