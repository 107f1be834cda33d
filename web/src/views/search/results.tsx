import { ResultItem } from './result-item.tsx';
import { type Order, type Result, rowsOf } from './result-model.ts';

interface Props {
  readonly results: readonly Result[];
  readonly order: Order;
  readonly question: string;
  /** Leaves out what the same result tells in the other order, and what use and time did. */
  readonly isBrief?: boolean;
}

export function Results({ results, order, question, isBrief = false }: Props) {
  return (
    <ol>
      {rowsOf(results, order).map((row, index) => (
        <ResultItem
          key={row.result.name}
          row={row}
          place={index + 1}
          order={order}
          question={question}
          isBrief={isBrief}
        />
      ))}
    </ol>
  );
}
