import { ResultItem } from './result-item.tsx';
import { type Order, type Result, rowsOf } from './result-model.ts';

interface Props {
  readonly results: readonly Result[];
  readonly order: Order;
  readonly question: string;
  /** Omits details that the list in the other order shows, and the effect of use and time. */
  readonly isBrief?: boolean;
}

export function Results({ results, order, question, isBrief = false }: Props) {
  return (
    <ol>
      {rowsOf(results, order).map((row, index) => (
        <ResultItem
          key={row.result.name}
          row={row}
          position={index + 1}
          order={order}
          question={question}
          isBrief={isBrief}
        />
      ))}
    </ol>
  );
}
