import { formatMoney } from './format';

/** Talks to the order service. */
export class ShopClient {
  constructor(private readonly url: string) {}

  /** Sends an order and returns the text for the customer. */
  async order(customer: string, amount: number): Promise<string> {
    const response = await fetch(`${this.url}/orders`, { method: 'POST', body: JSON.stringify({ customer, amount }) });
    return describeOrder(await response.json(), amount);
  }
}

function describeOrder(id: number, amount: number): string {
  return `Order ${id}: ${formatMoney(amount)}`;
}
